/// The `[mqtt]` table of both programs: the broker and the identity of the client. The connection checks later whether
/// the files exist and are readable.
package struct BrokerSettings: Hashable, Sendable {
    package enum Version: String, CaseIterable, Sendable {
        /// MQTT 5, which has reasons for refusals and the expiry of messages.
        case five = "5"
        /// MQTT 3.1.1, for brokers without MQTT 5.
        case threeOneOne = "3.1.1"
    }

    /// A user name and the file with the password.
    package struct Login: Hashable, Sendable {
        package var username: String
        /// The file whose first line is the password; `nil` for a user without a password.
        package var passwordFile: String?
    }

    package struct TLS: Hashable, Sendable {
        /// The certificates of the authorities that may sign the broker's certificate.
        package var caFile: String
        /// Whether the broker's certificate must have the name under which the broker is reached.
        package var verifiesHostname = true
        package var client: ClientCertificate?
    }

    /// A certificate with its key; both are required.
    package struct ClientCertificate: Hashable, Sendable {
        package var certificateFile: String
        package var keyFile: String
    }

    package enum ClientID: Sendable {
        /// The caller determines the client id, and `client_id` is a problem.
        case given(String)
        /// The client id is `client_id`, or this default if the key is absent.
        case configured(default: String)
    }

    /// The name or address of the broker.
    package var host: String
    /// The most names or addresses of one broker.
    package static let mostHosts = 16
    /// Further names or addresses of the same broker or cluster, which are tried in turn.
    package var alternatives: [String] = []
    /// The port, 1 to 65535.
    package var port: Int
    package var version: Version
    /// The first level or levels of every topic, without a slash at either end.
    package var prefix: String
    /// The login; `nil`: anonymous, or by certificate.
    package var login: Login?
    package var tls: TLS?
    /// The client id. Two connections with one client id disconnect each other.
    package var clientID: String

    /// Reads `[mqtt]`; an absent table has the defaults.
    package init(_ mqtt: SettingsTable, clientID: ClientID) {
        tls = Self.tls(mqtt)
        let hosts = mqtt.hosts("host") ?? ["localhost"]
        host = hosts[0]
        alternatives = Array(hosts.dropFirst())
        port = mqtt.integer("port", in: 1...65_535) ?? (tls == nil ? 1883 : 8883)
        version = mqtt.word("version", of: Version.self) ?? .five
        prefix = mqtt.prefix("prefix") ?? "forgetmenot"
        login = Self.login(mqtt)
        switch clientID {
        case .given(let id):
            self.clientID = id
            mqtt.refuse("client_id", "does not belong here: a gateway's client id is its id, so leave it out")
        case .configured(let id):
            self.clientID = mqtt.text("client_id", limit: 128) ?? id
        }
    }

    /// The broker for people: `localhost:1883`, or all its names with the port.
    package var endpoint: String {
        guard let last = alternatives.last else { return "\(host):\(port)" }
        return ([host] + alternatives.dropLast()).joined(separator: ", ") + " or \(last), port \(port)"
    }

    private static func login(_ mqtt: SettingsTable) -> Login? {
        let username = mqtt.text("username")
        let passwordFile = mqtt.path("password_file")
        mqtt.refuse(
            "password", "does not belong here: write it into a file of mode 0600, and that file's path as password_file"
        )
        if mqtt.has("password_file"), !mqtt.has("username") {
            mqtt.note("password_file", "stands without a username: write username as well")
        }
        return username.map { Login(username: $0, passwordFile: passwordFile) }
    }

    // Half of a TLS section must never mean "no TLS".
    private static func tls(_ mqtt: SettingsTable) -> TLS? {
        let caFile = mqtt.path("ca_file")
        let verifiesHostname = mqtt.boolean("verify_hostname") ?? true
        let certificateFile = mqtt.path("certificate_file")
        let keyFile = mqtt.path("key_file")
        for (key, other) in [("certificate_file", "key_file"), ("key_file", "certificate_file")] where mqtt.has(key) {
            if !mqtt.has(other) { mqtt.note(key, "stands without \(other): write both or neither") }
        }
        if mqtt.has("certificate_file"), !mqtt.has("ca_file") {
            mqtt.note(
                "certificate_file", "stands without ca_file, so that there would be no TLS: write ca_file as well")
        }
        if mqtt.has("verify_hostname"), !mqtt.has("ca_file") {
            mqtt.note("verify_hostname", "stands without ca_file, so that there is no TLS: write ca_file as well")
        }
        guard let caFile else { return nil }
        var client: ClientCertificate?
        if let certificateFile, let keyFile {
            client = ClientCertificate(certificateFile: certificateFile, keyFile: keyFile)
        }
        return TLS(caFile: caFile, verifiesHostname: verifiesHostname, client: client)
    }
}

extension SettingsTable {
    /// Reads a host name or an address without a port, or an array of them.
    fileprivate func hosts(_ key: String) -> [String]? {
        guard hasArray(key) else {
            return parsed(
                key,
                "a name or an address alone, like \"localhost\" or \"192.168.1.5\" (the port has a key of its own)",
                by: host
            ).map { [$0] }
        }
        let (most, expected) = (BrokerSettings.mostHosts, "names or addresses without a port")
        return elements(key, "an array of 1 to \(most) \(expected)", count: 1...most) { value in
            if case .text(let text) = value { host(text) } else { nil }
        }
    }

    private func host(_ text: String) -> String? {
        let bytes = text.utf8
        let isAlone = bytes.allSatisfy {
            $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "@")
        }
        let isWithPort = bytes.count { $0 == UInt8(ascii: ":") } == 1
        return isAlone && !isWithPort && (1...253).contains(bytes.count) ? text : nil
    }

    /// Reads the prefix of topics: no wildcards, no empty level, no `$` at the beginning.
    package func prefix(_ key: String) -> String? {
        parsed(key, "levels like \"forgetmenot\" or \"home/forgetmenot\": no \"+\", \"#\", no slash at either end") {
            prefix in
            let levels = prefix.split(separator: "/", omittingEmptySubsequences: false)
            guard prefix.utf8.count <= 128, !prefix.hasPrefix("$"), !levels.contains(where: \.isEmpty),
                !prefix.unicodeScalars.contains(where: { $0 == "+" || $0 == "#" || isControl($0) })
            else { return nil }
            return prefix
        }
    }
}
