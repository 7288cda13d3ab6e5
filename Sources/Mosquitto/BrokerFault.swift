/// Why there is no connection, or no longer: a kind to act on, and a sentence for people.
///
/// Two attempts that fail for the same reason give equal faults.
public struct BrokerFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What to act on.
    public enum Kind: String, Sendable {
        /// A password, certificate or key cannot be read or used as it stands.
        case file
        /// The host's name leads nowhere.
        case name
        /// Nobody answers at the address.
        case unreachable
        /// Somebody is there, and does not speak MQTT to us in time.
        case silent
        /// The broker's certificate is not to be believed.
        case certificate
        /// TLS failed otherwise; the broker may not want our certificate.
        case tls
        /// The broker does not know the user, or another password.
        case credentials
        /// The broker does not let us in, for another reason.
        case refused
        /// Another client connected with our id, or seems to.
        case takenOver = "taken_over"
        /// The connection broke.
        case lost
        /// The broker ended the connection without a word.
        case closed
        /// The broker ended the connection, and said why.
        case ended
        /// The broker takes publications and acknowledges nothing.
        case unacknowledged
        /// We ended it.
        case stopped
    }

    /// What to act on.
    public var kind: Kind
    /// A sentence for people: what, where, what to do.
    public var description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
