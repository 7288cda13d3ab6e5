import Glibc
import Linux
import Settings

/// The site's broker, whose files are written: what is left to do for `setup`.
package struct WrittenBroker {
    package let site: SiteBroker
    private(set) var folder: SetupFolder
    /// The ids of the gateways that this run has let in.
    package let newGateways: [String]
    /// The ids of the gateways that this run has shut out.
    package let removedGateways: [String]
    let aggregatorFile: AggregatorFile?
    /// How the aggregator's configuration was completed, in a sentence; `nil` if it did not change.
    package let aggregatorChange: String?

    /// Gives the aggregator its former configuration back.
    package func undoAggregator() { aggregatorFile?.undo() }

    /// What to do for the gateways and users with these names, line by line.
    package func instructions(for gateways: [String], _ users: [String] = []) -> [String] {
        site.instructions(folder, for: Set(gateways.compactMap { site.gatewayID(named: $0) } + users))
    }

    package func letsIn(_ id: String) -> Bool { site.gateways.contains { $0.id == id } }

    /// Whether mosquitto of this machine reads the files of this folder, if it runs.
    package var isLinked: Bool { Self.isLinked(to: folder.path) }

    /// Whether mosquitto of this machine reads the files in `folder`, if it runs.
    package static func isLinked(to folder: String) -> Bool {
        var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &target, target.count)
        return count > 0 && String(decoding: target[..<count], as: UTF8.self) == "\(folder)/mosquitto.conf"
    }

    /// The link through which Debian's mosquitto reads the files.
    package static let link = "/etc/mosquitto/conf.d/forgetmenot.conf"

    /// The room of the gateway with this room or id; its id if several gateways serve the room.
    package func title(ofGateway name: String) -> String {
        let id = site.gatewayID(named: name)
        guard let gateway = site.gateways.first(where: { $0.id == id }) else { return name }
        let room = gateway.room ?? gateway.id
        return site.gateways.count { ($0.room ?? $0.id) == room } > 1 ? gateway.id : room
    }

    /// What `forgetmenot-gateway join` needs to know, in TOML: the options of its `setup`, and its password or its certificates.
    ///
    /// - Parameter host: the name or address under which the gateway reaches the broker.
    package func invitation(for name: String, host: String) throws(Failure) -> String {
        let id = site.gatewayID(named: name)
        guard let gateway = site.gateways.first(where: { $0.id == id }) else {
            throw Failure(.noInput, "there is no gateway \(tomlText(name))")
        }
        var secret = ""
        for file in site.files(of: gateway.id, for: gateway.id, host: host) {
            guard let part = try folder.text(file.source) else { throw missingSecret(of: gateway.id) }
            secret += part
        }
        var text = "id = \(tomlText(gateway.id))\nhost = \(tomlText(host))\nprefix = \(tomlText(site.prefix.text))\n"
        text += "port = \(site.tls(at: host)?.gateways ?? site.gatewayPort)\n"
        if let room = gateway.room { text += "room = \(tomlText(room))\n" }
        return text + "\(site.proof.rawValue) = \(tomlText(secret))\n"
    }

    private func missingSecret(of name: String) -> Failure {
        Failure(
            .noInput,
            "\(name) already has its \(site.proof == .passwords ? "password" : "key"), which is no longer in "
                + "\(folder.file("secrets")): run `sudo forgetmenot broker-setup --remove \(name)` first")
    }

    // The texts as mosquitto has loaded them are compared, and not the times of files: a run may end between writing and restarting.
    private static let loaded = "loaded"

    /// The files that mosquitto reads.
    package func brokerTexts() throws(Failure) -> String {
        let names = [
            "mosquitto.conf", "gateways.acl", "users.acl", "gateways.passwords", "users.passwords", "server.crt",
        ]
        return try names.map { (name) throws(Failure) in try folder.text(name) ?? "" }.joined()
    }

    /// Whether mosquitto has loaded the files as they are now, as far as `noteLoaded` knows.
    package func isLoaded() throws(Failure) -> Bool { try folder.text(Self.loaded) == brokerTexts() }

    /// Notes that mosquitto has loaded these texts, which were read before it restarted: another run may have changed them meanwhile.
    package mutating func noteLoaded(_ texts: String) throws(Failure) {
        try folder.write(texts, to: Self.loaded, for: .nobody, quietly: true)
    }

    /// Notes that mosquitto has not loaded the files in `folder`.
    package static func noteChanged(in folder: String) { unlink("\(folder)/\(loaded)") }

    /// Who logs in at the broker of `folder`, by name, with the hash of the password.
    package static func logins(in folder: String) -> [String: String] {
        var logins: [String: String] = [:]
        for group in Group.allCases {
            let text = (try? SetupFolder(folder).text("\(group).passwords")) ?? ""
            for line in text.split(separator: "\n") { logins[String(line.prefix { $0 != ":" })] = String(line) }
        }
        return logins
    }

    /// The user of this machine, with this home folder and this configuration, which must be the one that `accessScript` writes.
    package func user(_ name: String, home: String, file: String) -> LocalClient {
        let keys = site.brokerKeys(of: name, in: .users, host: "localhost", file: "forgetmenot")
        // As the user, and not as root: in a user's own folder, a link may lead anywhere.
        let program = ["runuser", "-u", name, "--", "env", "HOME=\(home)", "sh", "-c"]
        return LocalClient(
            name: name, file: file, keys: keys.map { ($0.key, "mqtt", $0.value) },
            program: program + [site.accessScript(for: name, host: "localhost")])
    }

    /// The gateway of this machine; `nil` if no id can be made from its room.
    ///
    /// - Parameter known: the id in the gateway's configuration, which stays if the broker lets it in, whatever its room.
    package func gateway(inRoom room: String, id known: String?, file: String, source: String?) -> LocalClient? {
        guard let id = known.flatMap({ letsIn($0) ? $0 : nil }) ?? site.gatewayID(named: room) else { return nil }
        let keys = site.brokerKeys(of: id, in: .gateways, host: "localhost", file: "gateway")
        var own = [("id", nil, tomlText(id)), ("room", nil, tomlText(room))] + keys.map { ($0.key, "mqtt", $0.value) }
        if let source { own.append(("source", "radio", tomlText(source))) }
        return LocalClient(
            name: id, file: file, keys: own,
            program: site.setupWords(of: SiteBroker.Gateway(id: id, room: room), host: "localhost")
                + (source.map { ["--source", $0] } ?? []))
    }

    /// Whether the client's configuration names this broker, and the client's password is beside it.
    package func isConfigured(_ client: LocalClient) -> Bool {
        guard let bytes = try? readFile(at: client.file, limit: 1 << 20) else { return false }
        let text = String(decoding: bytes, as: UTF8.self)
        let name = String(client.file.split(separator: "/").last?.dropLast(5) ?? "")
        guard client.keys.allSatisfy({ setting($0.key, to: $0.value, in: $0.table, of: text) == text }),
            let own = try? readFile(at: sibling("\(name).password", of: client.file))
        else { return false }
        // Nobody needs to keep the copy in `secrets`.
        let password = try? readFile(at: folder.file(folder.password(of: client.name)))
        return password == nil || password == own
    }

    package func configure(_ client: LocalClient) throws(Failure) {
        guard let password = try folder.text(folder.password(of: client.name)) else {
            throw missingSecret(of: client.name)
        }
        do throws(Failure) {
            // 69: the gateway is configured, and something that it needs is missing, like an adapter.
            try folder.run(client.program, input: password, from: client.program[0], success: [0, 69])
        } catch {
            throw Failure(error.status, "\(client.name) has no access, as \(client.file) cannot be written: \(error)")
        }
    }
}

/// A client on the broker's machine, with a password.
package struct LocalClient {
    /// Its user name at the broker.
    package let name: String
    /// Its configuration; the password is beside it.
    let file: String
    let keys: [(key: String, table: String?, value: String)]
    /// The program that writes both, with its arguments; it reads the password from standard input.
    let program: [String]
}
