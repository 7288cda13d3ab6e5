/// Which broker, as whom, and what for: all that a connection needs to know, and nothing that changes while it runs.
///
/// The files are named, not read: what stands in them is read anew for each attempt, so that a corrected one heals.
public struct BrokerOptions: Hashable, Sendable {
    /// The protocol spoken.
    public enum Version: String, Sendable {
        /// MQTT 5: expiry, reasons for refusals, delayed wills.
        case v5 = "5"
        /// MQTT 3.1.1: none of these; a publication that the broker's ACL forbids is acknowledged as if it were fine.
        case v311 = "3.1.1"
    }

    /// The largest payload taken from the broker, in bytes; a larger one is refused and counted.
    public static let largestPayload = 1 << 20

    /// A name or an address.
    public var host: String
    /// 1 to 65535; by custom 1883, with TLS 8883.
    public var port: Int
    /// The protocol spoken.
    public var version: Version = .v5
    /// The name under which the broker knows this client; whoever else connects with it takes the session over.
    public var clientID: String
    /// The user, where the broker asks for one.
    public var username: String?
    /// Holds the user's password, and a newline at most; not readable by everyone.
    public var passwordFile: String?
    /// Certificates (PEM) of whom to believe about the broker's own; its presence means TLS.
    public var caFile: String?
    /// This client's certificate (PEM), where the broker asks for one.
    public var certificateFile: String?
    /// The certificate's key (PEM, no passphrase); not readable by everyone.
    public var keyFile: String?
    /// Seconds of silence after which either side asks whether the other is there: 5 to 65535.
    public var keepAliveSeconds: Int = 30
    /// Seconds for which the broker keeps the session after the connection's end; 0 begins cleanly each time.
    /// With MQTT 3.1.1 whatever is not 0 is for ever.
    public var sessionExpirySeconds: UInt32 = 0
    /// What the broker publishes when this client is gone without a word.
    public var will: Publication?
    /// Seconds that the broker waits with it (MQTT 5).
    public var willDelaySeconds: UInt32 = 0
    /// What is subscribed to after each connect.
    public var subscriptions: [Subscription] = []

    /// A broker without user, TLS, will or subscriptions; these are set one by one.
    public init(host: String, port: Int, clientID: String) {
        self.host = host
        self.port = port
        self.clientID = clientID
    }
}
