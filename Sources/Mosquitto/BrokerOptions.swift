/// The options of a connection: the broker, the identity of the client, its will and its subscriptions. They do not
/// change while the connection runs.
///
/// The options name the files. Each attempt reads them again, so that a corrected file takes effect.
package struct BrokerOptions: Hashable, Sendable {
    /// The versions of the MQTT protocol.
    package enum Version: String, Sendable {
        /// MQTT 5: expiry, reasons for refusals, delayed wills.
        case v5 = "5"
        /// MQTT 3.1.1: none of these. The broker acknowledges publications that its ACL denies.
        case v311 = "3.1.1"
    }

    /// The largest accepted payload in bytes; larger payloads are refused and counted.
    package static let largestPayload = 1 << 20

    /// The broker's name or address.
    package var host: String
    /// Further names or addresses of the same broker or cluster, with the same port. Each attempt that fails and each
    /// connection that ends goes on to the next one; a connection stays where it is.
    package var alternatives: [String] = []
    /// The port, 1 to 65535; the usual ports are 1883, or 8883 with TLS.
    package var port: Int
    /// The protocol version.
    package var version: Version = .v5
    /// The highest QoS of subscriptions.
    package var subscriptionQoS = QoS.atLeastOnce
    /// The client id. Another client that connects with the same id takes the session over.
    package var clientID: String
    /// The user name, if the broker requires one.
    package var username: String?
    /// The file with the user's password in one line; it must not be readable for all users.
    package var passwordFile: String?
    /// The file with the authority's certificates (PEM) for the broker; its presence enables TLS.
    package var caFile: String?
    /// Whether the broker's certificate must have the name of `host`. An authority that signs nothing but this broker's certificate needs no name.
    package var verifiesHostname = true
    /// The file with this client's certificate (PEM), if the broker requires one.
    package var certificateFile: String?
    /// The file with the certificate's key (PEM, no passphrase); it must not be readable for all users.
    package var keyFile: String?
    /// The seconds of silence after which either side tests the connection: 5 to 65535.
    package var keepAliveSeconds: Int = 30
    /// The seconds for which the broker stores the session after the connection; 0 starts a clean session each time.
    /// With MQTT 3.1.1, any other value means forever.
    package var sessionExpirySeconds: UInt32 = 0
    /// The message that the broker publishes if this client disappears without a DISCONNECT.
    package var will: Publication?
    /// The seconds by which the broker delays the will (MQTT 5).
    package var willDelaySeconds: UInt32 = 0
    /// Whether the connection does not reconnect after it has ended once: who was thrown out by another client with the same id stays out.
    package var connectsOnce = false
    /// The subscriptions that are requested after each connect.
    package var subscriptions: [Subscription] = []

    /// Creates options without user, TLS, will and subscriptions.
    package init(host: String, port: Int, clientID: String) {
        self.host = host
        self.port = port
        self.clientID = clientID
    }

    /// The most names or addresses of one broker.
    package static let mostHosts = 16

    /// The options for each name or address alone, in their order.
    var attempts: [BrokerOptions] {
        ([host] + alternatives).map { host in
            var options = self
            (options.host, options.alternatives) = (host, [])
            return options
        }
    }
}
