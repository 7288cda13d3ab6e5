import Glibc
import Linux
import Messages
import Settings

/// The settings of the site's broker: the options of all runs of `broker-setup` so far, stored as setup.toml.
package struct SiteBroker: Hashable {
    /// How clients authenticate.
    package enum Proof: String, CaseIterable, Sendable {
        /// By a password; from other machines over TLS if the site has `tls`.
        case passwords
        /// By a certificate of the site's own authority, over TLS.
        case certificates
    }

    /// A gateway that the broker lets in.
    struct Gateway: Hashable {
        var id: String
        var room: String?
    }

    /// The ports on which clients with passwords use TLS.
    struct TLSPorts: Hashable {
        /// The port of people, home automation and the aggregator.
        var users = 8883
        var gateways = 8884
    }

    /// The prefixes in `[home_assistant]` of the aggregator's configuration.
    struct Elsewhere: Hashable {
        static let standard = TopicPrefix("homeassistant")!
        var homeAssistant = standard
        /// The prefix of room messages; `nil`: there are none, or they are below the site's prefix.
        var rooms: TopicPrefix?
    }

    /// The name or address under which clients reach the broker.
    package var host = "localhost"
    /// The address to which the broker binds; `nil`: all addresses.
    package var bind: String?
    /// The port of people, home automation and the aggregator.
    package var port: Int
    /// The port of gateways. There the broker uses each client's user name as its client id.
    var gatewayPort: Int
    package var proof: Proof
    /// With these ports, clients with passwords on other machines use TLS, and the ports without TLS are open to this machine alone.
    var tls: TLSPorts?
    var prefix = TopicPrefix.standard
    /// The prefixes of other programs' topics to which the aggregator publishes, from its configuration.
    var elsewhere = Elsewhere()
    /// The aggregator's user.
    var aggregator = "forgetmenot"
    var gateways: [Gateway] = []
    /// People and home automation.
    var users: [String] = []

    init(proof: Proof) {
        self.proof = proof
        (port, gatewayPort) = proof == .passwords ? (1883, 1884) : (8883, 8884)
    }

    /// Reads setup.toml.
    init(_ root: SettingsTable) {
        self.init(proof: root.word("proof", of: Proof.self) ?? .passwords)
        host = root.text("host") ?? host
        bind = root.text("bind")
        port = root.integer("port", in: 1...65_535) ?? port
        gatewayPort = root.integer("gateway_port", in: 1...65_535) ?? gatewayPort
        if proof == .passwords, let users = root.integer("tls_port", in: 1...65_535) {
            tls = TLSPorts(users: users)
            if let gateways = root.integer("tls_gateway_port", in: 1...65_535) { tls?.gateways = gateways }
        }
        prefix = root.parsed("prefix", "levels without wildcards") { TopicPrefix($0) } ?? prefix
        elsewhere.rooms = root.prefix("mqtt_room_prefix").flatMap { TopicPrefix($0) }
        if let other = root.prefix("home_assistant_prefix").flatMap({ TopicPrefix($0) }) {
            elsewhere.homeAssistant = other
        }
        aggregator = root.id("aggregator") ?? aggregator
        gateways = root.tables("gateway").compactMap { table in
            let room = table.text("room")
            return table.required.id("id").map { Gateway(id: $0, room: room) }
        }
        users = root.tables("user").compactMap { $0.required.id("id") }
    }

    /// The text of setup.toml.
    var toml: String {
        var text = """
            # The options of `forgetmenot broker-setup` so far. At its next run it writes all other files in this folder from them.
            proof = "\(proof.rawValue)"
            host = \(tomlText(host))

            """
        if let bind { text += "bind = \(tomlText(bind))\n" }
        text += """
            port = \(port)
            gateway_port = \(gatewayPort)
            prefix = \(tomlText(prefix.text))
            aggregator = "\(aggregator)"

            """
        if elsewhere.homeAssistant != Elsewhere.standard {
            text += "home_assistant_prefix = \(tomlText(elsewhere.homeAssistant.text))\n"
        }
        if let rooms = elsewhere.rooms { text += "mqtt_room_prefix = \(tomlText(rooms.text))\n" }
        if let tls { text += "tls_port = \(tls.users)\ntls_gateway_port = \(tls.gateways)\n" }
        for gateway in gateways {
            text += "\n[[gateway]]\nid = \"\(gateway.id)\"\n"
            if let room = gateway.room { text += "room = \(tomlText(room))\n" }
        }
        for user in users { text += "\n[[user]]\nid = \"\(user)\"\n" }
        return text
    }

    /// The problem of the settings as a whole, in a sentence; `nil` if there is none.
    var mistake: String? {
        var names: Set<String> = []
        for name in [aggregator] + users + gateways.map(\.id) where !names.insert(name).inserted {
            return
                "\"\(name)\" is used twice: choose another name for the user or the gateway's room"
        }
        let ports = [port, gatewayPort] + (tls.map { [$0.users, $0.gateways] } ?? [])
        if let port = ports.indices.first(where: { ports[..<$0].contains(ports[$0]) }).map({ ports[$0] }) {
            let options = tls == nil ? " and --gateway-port" : ", --gateway-port, --tls-port and --tls-gateway-port"
            return "two listeners have port \(port): choose other ports with --port\(options)"
        }
        // In an ACL, mosquitto replaces %u by a name.
        if let prefix = [prefix, elsewhere.homeAssistant, elsewhere.rooms].compactMap(\.self)
            .first(where: { $0.text.contains("%") })
        {
            return "the prefix \(prefix) has a \"%\", which is special in an ACL: choose another prefix"
        }
        guard Self.isAddress(host) else {
            return "\(tomlText(host)) is not a host name or address: write another --host"
        }
        if let bind, !Self.isAddress(bind) { return "\(tomlText(bind)) is not an address: write another --bind" }
        return nil
    }

    /// Whether clients on the broker's machine reach this broker at `host`.
    func isReached(at host: String) -> Bool {
        let own = localHostName().lowercased()
        let known = ["localhost", "127.0.0.1", "::1", self.host, bind, own, own + ".local"]
        return known.contains { $0?.lowercased() == host.lowercased() } || host == reachableHost()
    }

    /// Whether `text` can be a host name or address. It then has no character that is special to mosquitto, openssl or a shell.
    private static func isAddress(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 253 && isPlain(text, and: ".:%")
    }

    // MARK: Clients

    /// The keys of a client's [mqtt] table with TOML values. The names of the files beside its configuration begin with `file`.
    func brokerKeys(of name: String, in group: Group, host: String, file: String) -> [(key: String, value: String)] {
        let tls = tls(at: host)
        let port = group == .gateways ? tls?.gateways ?? gatewayPort : tls?.users ?? port
        var keys = [("host", tomlText(host)), ("port", "\(port)")]
        if prefix != .standard { keys.append(("prefix", tomlText(prefix.text))) }
        switch proof {
        case .passwords:
            keys += [("username", tomlText(name)), ("password_file", "\"\(file).password\"")]
            if tls != nil { keys += [("ca_file", "\"\(file)-ca.crt\""), ("verify_hostname", "false")] }
        case .certificates:
            keys += [
                ("ca_file", "\"\(file)-ca.crt\""), ("certificate_file", "\"\(file).crt\""),
                ("key_file", "\"\(file).key\""),
            ]
        }
        return keys
    }

    /// The ports on which a client with a password that reaches the broker at `host` uses TLS; `nil` without TLS, as on this machine.
    func tls(at host: String) -> TLSPorts? { host == "localhost" ? nil : tls }

    /// The files that a client needs: their names in the folder, and their names beside the client's configuration, `file`.toml.
    func files(of name: String, for file: String, host: String) -> [(source: String, name: String)] {
        switch proof {
        case .passwords:
            [("secrets/\(name).password", "\(file).password")]
                + (tls(at: host) == nil ? [] : [("ca.crt", "\(file)-ca.crt")])
        case .certificates:
            [
                ("ca.crt", "\(file)-ca.crt"), ("secrets/\(name).crt", "\(file).crt"),
                ("secrets/\(name).key", "\(file).key"),
            ]
        }
    }

    /// What to do on the broker's machine, line by line.
    func brokerInstructions(_ folder: SetupFolder) -> [String] {
        [
            "", "The broker, on this machine:",
            "  sudo ln -sf \(shellQuoted(folder.file("mosquitto.conf"))) /etc/mosquitto/conf.d/forgetmenot.conf && sudo systemctl restart mosquitto",
        ]
    }

    private static let copying = "On another machine copy these files there, and cat the copies."

    /// What to do for the clients, line by line.
    ///
    /// - Parameter invited: the clients whose lines are printed; if empty, all clients.
    func instructions(_ folder: SetupFolder, for invited: Set<String>) -> [String] {
        var lines: [String] = []
        let asked = gateways.filter { invited.isEmpty || invited.contains($0.id) }
        for gateway in asked { lines += ["", "Gateway \(gateway.id):", "  " + line(for: gateway, folder)] }
        if !asked.isEmpty {
            lines += [
                "",
                tls(at: host) == nil && proof == .passwords
                    ? "On another machine run only the part after \"|\": it asks for the password, which is in that file."
                    : Self.copying,
            ]
        }
        let people = users.filter { invited.isEmpty || invited.contains($0) }
        let userPort = tls(at: host)?.users ?? port
        for user in people { lines += ["", "User \(user), port \(userPort):", "  " + line(forUser: user, folder)] }
        if !people.isEmpty, proof == .passwords {
            lines += [
                "",
                tls(at: host) == nil
                    ? "Without sudo, or on another machine, run only the part after \"|\", and type the password."
                    : Self.copying,
            ]
        }
        if host == "localhost" {
            lines += [
                "",
                "These lines work only on this machine. For other machines, run this again with --host NAME, the broker's name or address.",
            ]
        }
        if proof == .passwords, tls == nil, bind != "127.0.0.1" {
            lines += ["", "Passwords cross the network unencrypted: use --tls."]
        }
        return lines
    }

    private func line(for gateway: Gateway, _ folder: SetupFolder) -> String {
        guard let secrets = secrets(of: gateway.id, folder) else { return gone(folder) }
        let words = setupWords(of: gateway, host: host).map { shellQuoted($0) }.joined(separator: " ")
        return "sudo cat \(secrets) | sudo \(words)"
    }

    /// The program with its arguments that sets a gateway up. It reads the password or the certificates from standard input.
    func setupWords(of gateway: Gateway, host: String) -> [String] {
        var words = ["forgetmenot-gateway", "setup", "--id", gateway.id]
        if let room = gateway.room { words += ["--room", room] }
        words += ["--host", host, "--port", "\(tls(at: host)?.gateways ?? gatewayPort)"]
        if prefix != .standard { words += ["--prefix", prefix.text] }
        return words + [proof == .passwords ? "--password-stdin" : "--certificates-stdin"]
    }

    private func line(forUser user: String, _ folder: SetupFolder) -> String {
        guard let secrets = secrets(of: user, folder) else { return gone(folder) }
        guard proof == .passwords else { return "its files are \(secrets)" }
        return "sudo cat \(secrets) | sh -c \(shellQuoted(accessScript(for: user, host: host)))"
    }

    /// The shell's script that writes a user's files in the user's home. It reads the password from standard input.
    func accessScript(for user: String, host: String) -> String {
        let keys = brokerKeys(of: user, in: .users, host: host, file: "forgetmenot").map {
            "\($0.key) = \($0.value)\\n"
        }.joined()
        // Everything is read first: without it, the user's files stay as they are.
        let (authority, own) =
            tls(at: host) == nil
            ? ("", "") : (" && ca=$(cat) && [ -n \"$ca\" ]", " && printf \"%s\\n\" \"$ca\" > forgetmenot-ca.crt")
        return
            "umask 077 && { [ ! -t 0 ] || printf \"Password: \"; } && IFS= read -r password\(authority) && mkdir -p ~/.config/forgetmenot"
            + " && cd ~/.config/forgetmenot && printf \"%s\\n\" \"$password\" > forgetmenot.password"
            + own
            + " && printf %b \(shellQuoted("[mqtt]\\n" + keys)) > forgetmenot.toml"
    }

    /// The paths of a client's files, quoted for a shell; `nil` if the files were moved away.
    ///
    /// The lines name the files and contain no secret, because the shell's history stores every line.
    private func secrets(of name: String, _ folder: SetupFolder) -> String? {
        let sources = files(of: name, for: name, host: host).map(\.source)
        return sources.allSatisfy(folder.has)
            ? sources.map { shellQuoted(folder.file($0)) }.joined(separator: " ") : nil
    }

    private func gone(_ folder: SetupFolder) -> String {
        "already has its \(proof == .passwords ? "password" : "key"), which is no longer in \(folder.file("secrets"))"
    }
}
