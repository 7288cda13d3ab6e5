import Beacons
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
                "\"\(name)\" is used twice: gateways, users and the aggregator need different names"
        }
        let ports = [port, gatewayPort] + (tls.map { [$0.users, $0.gateways] } ?? [])
        if let port = ports.indices.first(where: { ports[..<$0].contains(ports[$0]) }).map({ ports[$0] }) {
            let options = tls == nil ? " and --gateway-port" : ", --gateway-port, --tls-port and --tls-gateway-port"
            return "two listeners have port \(port): choose other ports with --port\(options)"
        }
        // In an ACL, mosquitto replaces %u by a name.
        if prefix.text.contains("%") {
            return "the prefix \(prefix) has a \"%\", which is special in an ACL: choose another prefix"
        }
        guard Self.isAddress(host) else {
            return "\(tomlText(host)) is not a host name or address: write another --host"
        }
        if let bind, !Self.isAddress(bind) { return "\(tomlText(bind)) is not an address: write another --bind" }
        return nil
    }

    /// Whether `text` can be a host name or address. It then has no character that is special to mosquitto, openssl or a shell.
    private static func isAddress(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 253 && isPlain(text, and: ".:%")
    }
}
