import Beacons
import Messages
import Settings

/// What the site's broker shall be: what `broker-setup` was told so far, and keeps as setup.toml.
struct SiteBroker: Hashable {
    /// How clients prove who they are.
    enum Proof: String, CaseIterable, Sendable {
        /// By a password; what passes can be read on the way.
        case passwords
        /// By a certificate of the broker's own authority; all is by TLS.
        case certificates
    }

    /// A gateway that may come in.
    struct Gateway: Hashable {
        var id: String
        var room: String?
    }

    /// By which name or address clients find it.
    var host = "localhost"
    /// The address that it listens on; `nil`: all of the machine's.
    var bind: String?
    /// Where people, home automation and the aggregator come in.
    var port: Int
    /// Where gateways come in: there each one's user name is its client id, whatever it says.
    var gatewayPort: Int
    var proof: Proof
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
        prefix = root.parsed("prefix", "levels without wildcards") { TopicPrefix($0) } ?? prefix
        aggregator = root.id("aggregator") ?? aggregator
        gateways = root.tables("gateway").compactMap { table in
            let room = table.text("room")
            return table.required.id("id").map { Gateway(id: $0, room: room) }
        }
        users = root.tables("user").compactMap { $0.required.id("id") }
    }

    /// What setup.toml says.
    var toml: String {
        var text = """
            # What `forgetmenot broker-setup` was told. It writes everything else in this folder from it, at its next run.
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
        for gateway in gateways {
            text += "\n[[gateway]]\nid = \"\(gateway.id)\"\n"
            if let room = gateway.room { text += "room = \(tomlText(room))\n" }
        }
        for user in users { text += "\n[[user]]\nid = \"\(user)\"\n" }
        return text
    }

    /// What is wrong with it as a whole, in a sentence; `nil`: nothing.
    var mistake: String? {
        var names: Set<String> = []
        for name in [aggregator] + users + gateways.map(\.id) where !names.insert(name).inserted {
            return
                "\"\(name)\" is two of them: gateways, people and the aggregator need names of their own, as a broker knows nobody by more"
        }
        if port == gatewayPort { return "both listeners cannot have port \(port)" }
        // The ACL would put a name in its place.
        if prefix.text.contains("%") { return "the prefix \(prefix) has a \"%\", which means something else in an ACL" }
        guard Self.isAddress(host) else { return "\(tomlText(host)) is no host's name or address" }
        if let bind, !Self.isAddress(bind) { return "\(tomlText(bind)) is no address of this machine" }
        return nil
    }

    /// Whether `text` can be a host's name or address: nothing in it means anything to mosquitto's, openssl's or a shell's lines.
    private static func isAddress(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 253
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: ":"), UInt8(ascii: "%"):
                    true
                default: false
                }
            }
    }
}
