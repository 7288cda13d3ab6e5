import CMosquitto
import Messages

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
    package var version: Version = .v5
    package var subscriptionQoS = QoS.atLeastOnce
    /// The client id. Another client that connects with the same id takes the session over.
    package var clientID: String
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
    package var will: OutgoingMessage?
    /// The seconds by which the broker delays the will (MQTT 5).
    package var willDelaySeconds: UInt32 = 0
    /// Whether the connection does not reconnect after it has ended once: who was thrown out by another client with the same id stays out.
    package var connectsOnce = false
    /// The subscriptions that are requested after each connect.
    package var subscriptions: [Subscription] = []
    /// What this client publishes to a topic of its own subscriptions, where nothing else is published, to test whether the broker still delivers.
    /// `nil` if that is not tested.
    package var echo: OutgoingMessage?
    /// A filter that matches nothing retained, and is requested last: its `subscribed` notice follows all retained messages of the
    /// subscriptions. `nil` if nobody waits for that.
    ///
    /// The subscriptions then have QoS 0 and share one packet, so that the broker queues their messages at once, and its response to this
    /// filter behind them. In packets of their own, mosquitto responds to each also while the socket is full, and sends what it retains for
    /// it only with its next message to this client.
    package var catchUpFilter: String?

    /// Creates options without user, TLS, will and subscriptions.
    package init(host: String, port: Int, clientID: String) {
        self.host = host
        self.port = port
        self.clientID = clientID
    }

    /// The options for each name or address alone, in their order.
    var attempts: [BrokerOptions] {
        ([host] + alternatives).map { host in
            var options = self
            (options.host, options.alternatives) = (host, [])
            return options
        }
    }

    // MARK: Files

    /// All problems of the files that retries cannot correct. `check` reports them, and they prevent a start.
    ///
    /// A file that exists but is not readable yet is no mistake: the connection reports that and retries.
    package func mistakes() -> [FileProblem] { fileProblems().filter { !$0.mayHeal } }

    /// The current password in the file, without the newline at its end; `nil` if the options name no file.
    func password() throws(FileProblem) -> String? {
        guard let passwordFile else { return nil }
        var bytes = try readOptionFile(passwordFile, as: .passwordFile, isSecret: true)
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty, !bytes.contains(0), !bytes.contains(UInt8(ascii: "\n")),
            let password = String(validating: bytes, as: UTF8.self)
        else { throw FileProblem(.passwordFile, "\(passwordFile) does not hold one line with a password") }
        return password
    }

    /// The current problems of the files, at most one per file.
    func fileProblems() -> [FileProblem] {
        var problems: [FileProblem] = []
        func check(_ body: () throws(FileProblem) -> Void) {
            do throws(FileProblem) { try body() } catch { problems.append(error) }
        }
        check { () throws(FileProblem) in _ = try password() }
        if let caFile {
            check { () throws(FileProblem) in _ = try readOptionFile(caFile, as: .caFile, isSecret: false) }
        }
        if let certificateFile {
            check { () throws(FileProblem) in
                _ = try readOptionFile(certificateFile, as: .certificateFile, isSecret: false)
            }
        }
        if let keyFile {
            check { () throws(FileProblem) in _ = try readOptionFile(keyFile, as: .keyFile, isSecret: true) }
        }
        let unreadable = Set(problems.map(\.setting))
        if caFile != nil {
            check { () throws(FileProblem) in try checkTLS(except: unreadable) }
        }
        return problems
    }

    /// Loads the files into OpenSSL like libmosquitto does, because OpenSSL reports what is wrong with them.
    private func checkTLS(except unreadable: Set<FileProblem.Setting>) throws(FileProblem) {
        guard let context = SSL_CTX_new(TLS_client_method()) else { return }
        defer {
            SSL_CTX_free(context)
            ERR_clear_error()
        }
        // There is no terminal for a passphrase, so a key with a passphrase is unusable.
        SSL_CTX_set_default_passwd_cb(context, refusePassphrase)

        if let caFile, !unreadable.contains(.caFile), SSL_CTX_load_verify_locations(context, caFile, nil) != 1 {
            throw FileProblem(.caFile, "\(caFile) contains no certificate (PEM)")
        }
        guard let certificateFile, !unreadable.contains(.certificateFile) else { return }
        guard SSL_CTX_use_certificate_chain_file(context, certificateFile) == 1 else {
            throw FileProblem(.certificateFile, "\(certificateFile) contains no certificate (PEM)")
        }
        guard let keyFile, !unreadable.contains(.keyFile) else { return }
        ERR_clear_error()
        let isKey = SSL_CTX_use_PrivateKey_file(context, keyFile, SSL_FILETYPE_PEM) == 1
        let isMismatch = ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH
        guard isKey || isMismatch else {
            throw FileProblem(.keyFile, "\(keyFile) contains no key (PEM, without passphrase)")
        }
        guard isKey, SSL_CTX_check_private_key(context) == 1 else {
            throw FileProblem(.keyFile, "\(keyFile) is not the key of \(certificateFile)")
        }
    }
}

extension OutgoingMessage {
    /// Whether MQTT permits publishing to the topic. A zero byte would also end the topic early in C.
    var isTopicValid: Bool {
        !topic.isEmpty && !topic.utf8.contains(0)
            && mosquitto_pub_topic_check2(topic, topic.utf8.count) == MOSQ_ERR_SUCCESS.rawValue
    }
}

/// OpenSSL's callback for a passphrase, which returns none.
let refusePassphrase: @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 = {
    _, _, _, _ in 0
}
