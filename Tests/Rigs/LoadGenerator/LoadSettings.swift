import Linux
import Messages
import Settings

/// The settings of a broker without user and TLS, from `HOST` or `HOST:PORT`.
func brokerSettings(at address: String) throws(Failure) -> BrokerSettings {
    let reading = readSettings([], file: "--broker") { root in
        BrokerSettings(root.table("mqtt"), clientID: .configured(default: "forgetmenot-simulate"))
    }
    guard var settings = reading.configuration else { throw Failure(.usage, "the broker has no settings") }
    settings.host = address
    // An address of IPv6 has several colons, and no port.
    if address.utf8.count(where: { $0 == UInt8(ascii: ":") }) == 1, let colon = address.firstIndex(of: ":") {
        guard let port = Int(address[address.index(after: colon)...]), (1...65_535).contains(port) else {
            throw Failure(.usage, "\"\(address)\" is no broker: write HOST or HOST:PORT")
        }
        settings.host = String(address[..<colon])
        settings.port = port
    }
    return settings
}

extension BrokerSettings {
    /// The same broker with another prefix of topics.
    func below(prefix: String) throws(Failure) -> BrokerSettings {
        guard TopicPrefix(prefix) != nil else {
            throw Failure(.usage, "\"\(prefix)\" is no prefix of topics: write levels like \"forgetmenot-simulation\"")
        }
        var settings = self
        settings.prefix = prefix
        return settings
    }
}
