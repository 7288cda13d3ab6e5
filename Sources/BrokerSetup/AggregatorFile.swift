import Broker
import Glibc
import Linux
import Messages
import Settings

/// The aggregator's configuration, in which `broker-setup` completes the broker and the user.
struct AggregatorFile {
    private let path: String
    private let former: [UInt8]
    private let text: String
    /// The files beside the configuration, and those of the folder from which they are copied.
    private let secrets: [(source: String, path: String)]
    /// Why the file is left as it is; `nil`: it is completed.
    let hindrance: String?
    /// The files that `complete` has replaced; without `former`, there was none.
    private var replaced: [(path: String, former: [UInt8]?)] = []

    /// Completes the text of the file at `path`, an absolute path; `nil` if the file does not exist. Writes nothing.
    ///
    /// Throws if it is not a regular file, or if the completed text would not be valid.
    ///
    /// - Parameter mayLeave: whether the file of an aggregator with another broker is left as it is; otherwise that throws as well.
    init?(at path: String, for site: SiteBroker, mayLeave: Bool) throws(Failure) {
        guard access(path, F_OK) == 0 else { return nil }
        _ = try orFail(.usage) { try namedFile(at: path) }
        self.path = path
        former = try orFail(.disk) { try readFile(at: path, limit: 1 << 20) }
        // The files beside it begin with its name.
        let name = path.split(separator: "/").last ?? "aggregator.toml"
        let stem = String(name.hasSuffix(".toml") ? name.dropLast(5) : name)
        // The aggregator runs on the broker's machine, so its host is localhost.
        var keys = site.brokerKeys(of: site.aggregator, in: .users, host: "localhost", file: stem)
        let known = Self.login(in: former, path)
        // The standard prefix is written only where another one stands.
        if let known, known.prefix != site.prefix.text, site.prefix == .standard {
            keys.append(("prefix", tomlText(site.prefix.text)))
        }
        let lines = keys.map { "\($0.key) = \($0.value)" }
        let required = Self.login(in: Array(("[mqtt]\n" + lines.joined(separator: "\n")).utf8), path)
        let isCurrent = known != nil && known == required
        let foreign = isCurrent ? [] : Self.foreignKeys(in: former, path, for: site)
        hindrance =
            foreign.isEmpty
            ? nil
            : "\(path) names another broker or user: to have the aggregator use this site's broker, "
                + "delete \(foreign.joined(separator: ", ")) from [mqtt]"
        if let hindrance, !mayLeave { throw Failure(.configuration, hindrance) }
        let files = site.files(of: site.aggregator, for: stem, host: "localhost")
        secrets = hindrance == nil ? files.map { ($0, sibling($1, of: path)) } : []
        guard !isCurrent, hindrance == nil else {
            text = String(decoding: former, as: UTF8.self)
            return
        }
        var text = String(decoding: former, as: UTF8.self)
        for (key, value) in keys { text = setting(key, to: value, in: "mqtt", of: text) }
        guard required != nil, Self.login(in: Array(text.utf8), path) == required else {
            throw Failure(
                .configuration,
                "\(path) cannot be completed: write into its table mqtt yourself: \(lines.joined(separator: ", "))")
        }
        self.text = text
    }

    /// Where the aggregator connects, and as whom.
    private struct Login: Equatable {
        var hosts: [String]
        var port: Int
        var prefix: String
        var login: BrokerSettings.Login?
        var caFile: String?
        var client: BrokerSettings.ClientCertificate?
    }

    private static func reading<Value>(
        _ bytes: [UInt8], _ path: String, _ read: (SettingsTable, BrokerSettings) -> Value
    ) -> Value? {
        readSettings(bytes, file: path, otherTables: .ignored) { root in
            let mqtt = root.table("mqtt")
            return read(mqtt, BrokerSettings(mqtt, clientID: .configured(default: "forgetmenot")))
        }.configuration
    }

    private static func login(in bytes: [UInt8], _ path: String) -> Login? {
        reading(bytes, path) { _, mqtt in
            // Beside a certificate, a login does not count.
            Login(
                hosts: [mqtt.host] + mqtt.alternatives, port: mqtt.port, prefix: mqtt.prefix,
                login: mqtt.tls?.client == nil ? mqtt.login : nil, caFile: mqtt.tls?.caFile, client: mqtt.tls?.client)
        }
    }

    /// The prefixes of other programs' topics in the file at `path`; `nil` if it does not exist, or is not valid.
    static func elsewhere(at path: String) -> SiteBroker.Elsewhere? {
        guard let bytes = try? readFile(at: path, limit: 1 << 20) else { return nil }
        return readSettings(bytes, file: path, otherTables: .ignored) { root in
            let table = root.table("home_assistant")
            let (hasRooms, rooms) = (table.boolean("mqtt_room") ?? false, table.prefix("mqtt_room_prefix"))
            let prefix = HomeAssistantSettings(table, discovery: true).prefix
            return SiteBroker.Elsewhere(
                homeAssistant: TopicPrefix(prefix) ?? SiteBroker.Elsewhere.standard,
                rooms: hasRooms ? rooms.flatMap { TopicPrefix($0) } : nil)
        }.configuration
    }

    /// The keys that name another broker, another user, or another proof than the site's; none of a file that is not valid.
    private static func foreignKeys(in bytes: [UInt8], _ path: String, for site: SiteBroker) -> [String] {
        reading(bytes, path) { table, mqtt in
            var foreign: [String] = []
            if !([mqtt.host] + mqtt.alternatives).allSatisfy(site.isReached) { foreign.append("host") }
            if let login = mqtt.login, login.username != site.aggregator { foreign += ["username", "password_file"] }
            // On a site with certificates, all of them are set.
            let proof = ["ca_file", "verify_hostname", "certificate_file", "key_file"]
            return site.proof == .certificates ? foreign : foreign + proof.filter(table.has)
        } ?? []
    }

    /// Writes the completed text, and the files that it names beside it. If one cannot be written, none is. What a file had before is in a file
    /// whose name ends with `.old`.
    ///
    /// - Returns: a sentence about the change; `nil` if the text did not change.
    mutating func complete(from folder: SetupFolder) throws(Failure) -> String? {
        var staged: [StagedFile] = []
        try orFail(.disk) {
            for (source, copy) in secrets {
                guard let secret = try? readFile(at: folder.file(source)) else { continue }
                let old = try? readFile(at: copy)
                guard old != secret else { continue }
                if let old { staged.append(try StagedFile(old, for: copy + ".old")) }
                staged.append(try StagedFile(secret, for: copy, mode: copy.hasSuffix(".crt") ? 0o644 : 0o600))
                replaced.append((copy, old))
            }
            if Array(text.utf8) != former {
                var status = stat()
                let mode = stat(path, &status) == 0 ? status.st_mode & 0o777 : 0o600
                staged.append(try StagedFile(former, for: path + ".old", mode: mode))
                staged.append(try StagedFile(Array(text.utf8), forNamed: path))
                replaced.append((path, former))
            }
            for file in staged { try file.commit() }
        }
        return Array(text.utf8) == former
            ? nil : "Completed [mqtt] in \(path); its former text is in \(path).old."
    }

    /// Gives back what the replaced files had, as far as the disk lets it.
    func undo() {
        for (path, former) in replaced {
            if let former { try? replaceNamedFile(at: path, with: former) } else { unlink(path) }
        }
    }
}
