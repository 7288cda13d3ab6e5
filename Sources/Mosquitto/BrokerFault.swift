/// Why there is no connection: a kind for programs and a sentence for users.
///
/// Two attempts that fail for the same reason give equal faults.
package struct BrokerFault: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Sendable {
        /// Whether nothing is known of the broker's own words: another address may respond.
        package var isOfReach: Bool { self == .name || self == .unreachable || self == .silent }

        /// A password, certificate or key file cannot be read or used.
        case file
        /// The host name cannot be resolved.
        case name
        /// Nothing responds at the address.
        case unreachable
        /// A server accepts the connection but does not respond with MQTT in time.
        case silent
        case certificate
        /// TLS failed for another reason, such as a rejected client certificate.
        case tls
        /// The broker does not know the user, or the password is wrong.
        case credentials
        /// The broker rejects the client for another reason.
        case refused
        /// Another client connected with the same client id, or seems to have.
        case takenOver = "taken_over"
        case lost
        /// The broker closed the connection without a reason.
        case closed
        /// The broker ended the connection with a reason.
        case ended
        /// The broker accepts publications but acknowledges none.
        case unacknowledged
        /// The broker acknowledges publications but delivers none.
        case deaf
        /// This program ended the connection.
        case stopped
    }

    package var kind: Kind
    /// A sentence for users: what failed, at which broker, and what to do.
    package var description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
