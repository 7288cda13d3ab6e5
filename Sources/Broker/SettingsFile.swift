import Glibc
import Linux
import Settings

/// Reads the TOML file at `path` with `read`, as `readSettings(_:file:otherTables:_:)` reads a text; throws all problems at once.
///
/// - Parameter read: returns `nil` only if there is a problem.
package func readSettings<Configuration>(
    at path: String, otherTables: OtherTables = .refused, _ read: (SettingsTable) -> Configuration?
) throws(SettingsError) -> Configuration {
    let reading = readSettings(try contents(of: path), file: path, otherTables: otherTables, read)
    guard let configuration = reading.configuration else { throw .wrong(reading.problems) }
    return configuration
}

/// Reads only the broker's settings from a file that may belong to another program: everything but `[mqtt]` is ignored, or refused.
package func readBrokerSettings(
    at path: String, otherTables: OtherTables = .ignored
) throws(SettingsError) -> BrokerSettings {
    try readSettings(at: path, otherTables: otherTables) { root in
        BrokerSettings(root.table("mqtt"), clientID: .configured(default: "forgetmenot"))
    }
}

/// The files and programs that the configuration at `path` names; none of one that can be read only once, such as a pipe.
package func namedFiles<Configuration>(
    at path: String, _ read: (SettingsTable) -> Configuration?
) throws(SettingsError) -> [NamedFile] {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return [] }
    return readSettings(try contents(of: path), file: path, read).files
}

/// The limit of a file in bytes, above the size of a full registry of items.
private let sizeLimit = 16 << 20

private func contents(of path: String) throws(SettingsError) -> [UInt8] {
    do {
        return try readInput(at: path, limit: sizeLimit)
    } catch {
        switch error.code {
        case ENOENT, ENOTDIR: throw .noSuchFile(path)
        case EISDIR: throw .unreadable(path, reason: "it is a folder")
        case EFBIG: throw .unreadable(path, reason: "it is larger than \(sizeLimit >> 20) MiB")
        default: throw .unreadable(path, reason: error.reason)
        }
    }
}
