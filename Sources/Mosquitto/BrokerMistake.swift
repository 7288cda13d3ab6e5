/// A mistake in the options that retries cannot correct.
package struct BrokerMistake: Error, Hashable, Sendable, CustomStringConvertible {
    /// The setting with the mistake, by its key in the configuration's `[mqtt]`; the will has no key there.
    package enum Setting: String, Sendable {
        case host, port, username, will, subscriptions
        case clientID = "client_id"
        case passwordFile = "password_file"
        case caFile = "ca_file"
        case certificateFile = "certificate_file"
        case keyFile = "key_file"
        case keepAlive = "keep_alive"
    }

    package var setting: Setting
    /// What is wrong, and what to write instead.
    package var reason: String

    init(_ setting: Setting, _ reason: String) {
        self.setting = setting
        self.reason = reason
    }

    /// `ca_file: /x does not exist`.
    package var description: String { "\(setting.rawValue): \(reason)" }
}
