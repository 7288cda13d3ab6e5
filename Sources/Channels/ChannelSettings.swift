import Messages
import Settings

/// One way to a person's phone: a `[[channel]]` table, whose secrets are in files of their own, or a subscription that a browser has given to
/// the page.
package struct ChannelSettings: Hashable, Sendable {
    /// What carries the message, and where to.
    package enum Kind: Hashable, Sendable {
        /// A topic of an ntfy server. The topic is a secret: whoever knows it reads its messages.
        case ntfy(server: String, topicFile: String, tokenFile: String?)
        /// A service of Home Assistant that notifies the companion app, like `mobile_app_pixel`.
        case homeAssistant(server: String, service: String, tokenFile: String)
        /// The services of a configuration file of Apprise.
        case apprise(file: String)
        /// The user's own program with its arguments.
        case command([String])
        /// A browser, over its push service; no table has this kind.
        case webPush(PushSubscription, keyFile: String)

        /// The host of the server, without the port; `nil`: there is no server.
        fileprivate var host: Substring? {
            guard case .ntfy(let server, _, _) = self, let start = server.firstRange(of: "://")?.upperBound else {
                return nil
            }
            return server[start...].prefix { $0 != ":" && $0 != "/" }
        }
    }

    private enum Word: String, CaseIterable {
        case ntfy, homeassistant, apprise, command

        /// The keys of this kind, besides those of every kind.
        var keys: [String] {
            switch self {
            case .ntfy: ["url", "topic_file", "token_file"]
            case .homeassistant: ["url", "service", "token_file"]
            case .apprise: ["apprise_file"]
            case .command: ["command"]
            }
        }
    }

    package static let most = 100

    package var person: String
    /// What carries the message.
    package var kind: Kind
    /// Whether messages are without names: neither which item nor what happened.
    package var isPrivate: Bool

    package init(person: String, kind: Kind, isPrivate: Bool = false) {
        self.person = person
        self.kind = kind
        self.isPrivate = isPrivate
    }

    /// The subscriptions whose push services are in a list.
    package static func all(
        in subscriptions: PushSubscriptions, at services: [String], keyFile: String
    ) -> [ChannelSettings] {
        subscriptions.all.filter { $0.isAt(services) }.map {
            ChannelSettings(person: $0.person, kind: .webPush($0, keyFile: keyFile))
        }
    }

    /// Reads the `[[channel]]` tables.
    package static func all(in root: SettingsTable) -> [ChannelSettings] {
        let tables = root.tables("channel")
        if tables.count > most { root.note("channel", "has \(tables.count) tables: write at most \(most)") }
        return tables.compactMap { ChannelSettings($0) }
    }

    private init?(_ channel: SettingsTable) {
        let person = channel.required.id("person")
        let word = channel.required.word("kind", of: Word.self)
        let isPrivate = channel.boolean("private")
        guard let word else {
            // Only the kind is wrong, and no other key because of it.
            for key in Set(Word.allCases.flatMap(\.keys)) { channel.ignore(key) }
            return nil
        }
        for key in Set(Word.allCases.flatMap(\.keys)).subtracting(word.keys).sorted() {
            channel.refuse(key, "does not belong to kind = \"\(word.rawValue)\": remove it")
        }
        guard let kind = Self.kind(word, channel.required, optional: channel), let person else { return nil }
        self.init(person: person, kind: kind, isPrivate: isPrivate ?? (kind.host == "ntfy.sh"))
    }

    private static func kind(_ word: Word, _ channel: SettingsTable, optional: SettingsTable) -> Kind? {
        switch word {
        case .ntfy:
            let (server, topic) = (channel.url("url"), channel.path("topic_file"))
            let token = optional.path("token_file")
            guard let server, let topic else { return nil }
            return .ntfy(server: server, topicFile: topic, tokenFile: token)
        case .homeassistant:
            let (server, token) = (channel.url("url"), channel.path("token_file"))
            let service = channel.parsed("service", "the name of a notify service like \"mobile_app_pixel\"") { name in
                let isName = name.utf8.allSatisfy {
                    (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
                }
                return isName && (1...128).contains(name.utf8.count) ? name : nil
            }
            guard let server, let token, let service else { return nil }
            return .homeAssistant(server: server, service: service, tokenFile: token)
        case .apprise: return channel.path("apprise_file").map { .apprise(file: $0) }
        case .command: return channel.command("command").map { .command($0) }
        }
    }

    /// The channel as problems and results of tests name it, without its secrets.
    package var name: String {
        switch kind {
        case .ntfy(let server, let topicFile, _): "ntfy at \(server) (\(lastName(of: topicFile)))"
        case .homeAssistant(let server, let service, _): "\(service) at \(server)"
        case .apprise(let file): "apprise (\(lastName(of: file)))"
        case .command(let words): "command \(words[0])"
        case .webPush(let subscription, _): "\(subscription.name) (\(subscription.id))"
        }
    }

    /// What the file of the site names the channel. Two channels of a person have different keys, unless they lead to the same place.
    var key: String {
        switch kind {
        case .ntfy(_, let path, _), .apprise(let path): "\(name) \(hash(of: path))"
        case .command(let words): "\(name) \(hash(of: words.joined(separator: "\0")))"
        case .homeAssistant, .webPush: name
        }
    }

    package var secretFiles: [String] {
        switch kind {
        case .ntfy(_, let topicFile, let tokenFile): [topicFile] + [tokenFile].compactMap { $0 }
        case .homeAssistant(_, _, let tokenFile): [tokenFile]
        case .apprise(let file): [file]
        case .command: []
        case .webPush(_, let keyFile): [keyFile]
        }
    }

    /// Whether a message can be removed from the phone again.
    var canWithdraw: Bool {
        switch kind {
        case .ntfy, .homeAssistant, .webPush: true
        case .apprise, .command: false
        }
    }

    private func hash(of text: String) -> String { String(fnv1a(text.utf8), radix: 16) }

    private func lastName(of path: String) -> Substring { path.split(separator: "/").last ?? "" }
}
