import Beacons
import Settings

/// The `[history]` table: where items were, for as long as it is stored.
package struct HistorySettings: Hashable, Sendable {
    /// Whether anything is stored.
    package var isEnabled = true
    /// How long a stay is stored after its end.
    package var keepFor = Interval.seconds(2 * 365 * 86_400)
    /// The largest size of the file, in MB.
    package var sizeMB = 256
    /// How long changes may wait until they are written together.
    package var commitWithin = Interval.seconds(900)
    /// A connection URL of libpq: the database that has a copy; `nil`: none has.
    package var database: String?
    /// The name of this site in the database; `nil`: the prefix of the topics.
    package var site: String?

    package init() {}

    /// Reports what cannot be a database's URL, and a password in it: configurations are shown and copied.
    private func check(_ database: String, in history: SettingsTable) {
        guard let scheme = ["postgresql://", "postgres://"].first(where: database.hasPrefix) else {
            return history.note("database", "is no URL of PostgreSQL: write postgresql://user@host/database")
        }
        // user:password@host:port/database?parameters
        let authority = database.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
        let user = authority.lastIndex(of: "@").map { authority[..<$0] } ?? ""
        if user.contains(":") || database.contains("password=") {
            history.note(
                "database",
                "has a password: write the password to a file, and add ?passfile=\(configurationFolder)/pgpass")
        }
    }

    init(_ history: SettingsTable) {
        isEnabled = history.boolean("enabled") ?? isEnabled
        keepFor = history.duration("keep_for", in: .seconds(86_400) ... .seconds(3650 * 86_400)) ?? keepFor
        sizeMB = history.integer("size_mb", in: 1...65_536) ?? sizeMB
        commitWithin = history.duration("commit_within", in: .zero ... .seconds(3600)) ?? commitWithin
        database = history.parsed("database", "a URL like \"postgresql://user@host/database\"") { url in
            url.isForPeople() ? url : nil
        }
        site = history.text("site")
        if let database { check(database, in: history) }
    }
}
