import CMosquitto
import Glibc
import Messages

/// A libmosquitto client that is destroyed with its owner. Each attempt uses a new one, because a used client would
/// send its stored messages again.
///
/// A handle belongs to one thread. Its functions return libmosquitto's codes.
struct Handle: ~Copyable {
    private let client: OpaquePointer

    // The library is initialised once and never cleaned up, because other threads may still use it when the process
    // ends.
    private static let isLibraryReady = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

    /// Creates a client; `nil` if memory is exhausted.
    init?(_ options: BrokerOptions, password: String?) {
        let isClean = options.sessionExpirySeconds == 0
        guard Self.isLibraryReady, let client = mosquitto_new(options.clientID, isClean, nil) else { return nil }
        guard configure(client, options, password: password) == MOSQ_ERR_SUCCESS.rawValue else {
            mosquitto_destroy(client)
            return nil
        }
        self.client = client
    }

    deinit {
        mosquitto_destroy(client)
    }

    /// Starts to connect. This resolves the name, which may take long, but does not wait for the network.
    ///
    /// - Parameter bindAddress: the local address. `0.0.0.0` excludes the broker's IPv6 addresses.
    func connect(_ options: BrokerOptions, from bindAddress: String?) -> Int32 {
        if options.version == .v5 {
            var properties: OpaquePointer?
            mosquitto_property_add_int32(
                &properties, Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), options.sessionExpirySeconds)
            mosquitto_property_add_int32(
                &properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue),
                UInt32(BrokerOptions.largestPayload + (128 << 10)))
            // Only the call that waits for the network accepts properties. Without a host it stores them and does
            // nothing else (2.0.11 to 2.1.2; a test checks that they arrive).
            mosquitto_connect_bind_v5(client, nil, 0, 0, nil, properties)
            mosquitto_property_free_all(&properties)
        }
        return mosquitto_connect_bind_async(
            client, options.host, Int32(options.port), Int32(options.keepAliveSeconds), bindAddress)
    }

    /// The descriptor for `poll`; negative if there is no connection.
    var socket: Int32 { mosquitto_socket(client) }
    var wantsToWrite: Bool { mosquitto_want_write(client) }
    /// OpenSSL's session; `nil` without TLS.
    var tls: OpaquePointer? { mosquitto_ssl_get(client).map { OpaquePointer($0) } }

    /// Holds back what is written until `isHeld` is false again (at most 200 ms), so that several packets leave together.
    func hold(_ isHeld: Bool) {
        var value: Int32 = isHeld ? 1 : 0
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Reads what has arrived, and acknowledges it to the broker's kernel at once.
    ///
    /// A broker with Nagle's algorithm, which is mosquitto's default, holds a small message back until the one before is acknowledged, and
    /// the kernel delays that by up to 40 ms. It forgets the option again by itself.
    func read() -> Int32 {
        let code = mosquitto_loop_read(client, 1)
        // After a failure the caller reads `errno`.
        guard code == MOSQ_ERR_SUCCESS.rawValue else { return code }
        var value: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_QUICKACK, &value, socklen_t(MemoryLayout<Int32>.size))
        return code
    }

    func write() -> Int32 { mosquitto_loop_write(client, 1) }
    /// Sends a PINGREQ if nothing was sent for the keepalive; fails if the response to the last one was not read since.
    func keepAlive() -> Int32 { mosquitto_loop_misc(client) }

    /// Sends a packet without an effect, whose response need not be read in time.
    func showLife() -> Int32 { unsubscribe(fromAll: ["nothing"]) }

    /// Whether data has arrived that is not read yet.
    var hasUnread: Bool {
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
    }

    func publish(_ publication: OutgoingMessage, as version: BrokerOptions.Version, packet: inout Int32) -> Int32 {
        var properties: OpaquePointer?
        if version == .v5, let expiry = publication.expirySeconds {
            mosquitto_property_add_int32(&properties, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), expiry)
        }
        defer { mosquitto_property_free_all(&properties) }
        return mosquitto_publish_v5(
            client, &packet, publication.topic, Int32(clamping: publication.payload.count), publication.payload,
            publication.qos.rawValue, publication.retain, properties)
    }

    /// Subscribes to several filters in one packet.
    ///
    /// - Parameter packet: receives the number of the packet.
    func subscribe(toAll filters: [String], qos: QoS, packet: UnsafeMutablePointer<Int32>? = nil) -> Int32 {
        withCStrings(filters) {
            mosquitto_subscribe_multiple(client, packet, Int32($0.count), $0.baseAddress, qos.rawValue, 0, nil)
        }
    }

    /// Ends several subscriptions in one packet.
    func unsubscribe(fromAll topics: [String]) -> Int32 {
        withCStrings(topics) { mosquitto_unsubscribe_multiple(client, nil, Int32($0.count), $0.baseAddress, nil) }
    }

    /// Disconnects so that the broker does not publish the will.
    func disconnect() -> Int32 { mosquitto_disconnect_v5(client, 0, nil) }

    /// Sets `session`, which must outlive this handle, as the receiver of libmosquitto's callbacks.
    func setCallbacks(for session: Session) {
        mosquitto_user_data_set(client, Unmanaged.passUnretained(session).toOpaque())
        mosquitto_connect_v5_callback_set(client, connectCallback)
        mosquitto_disconnect_v5_callback_set(client, disconnectCallback)
        mosquitto_publish_v5_callback_set(client, publishCallback)
        mosquitto_subscribe_v5_callback_set(client, subscribeCallback)
        mosquitto_message_v5_callback_set(client, messageCallback)
        mosquitto_log_callback_set(client, logCallback)
    }
}

/// Passes `texts` as C strings to `body`.
private func withCStrings(
    _ texts: [String], _ body: (UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>) -> Int32
) -> Int32 {
    var copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return copies.withUnsafeMutableBufferPointer { body($0) }
}

private func configure(_ client: OpaquePointer, _ options: BrokerOptions, password: String?) -> Int32 {
    let version = options.version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
    var codes = [
        mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, version),
        // Events are small and rare, so Nagle's algorithm would only delay them.
        mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1),
    ]
    if let username = options.username {
        codes.append(mosquitto_username_pw_set(client, username, password))
    }
    if let will = options.will {
        codes.append(setWill(client, will, options))
    }
    if let caFile = options.caFile {
        codes.append(
            mosquitto_tls_set(client, caFile, nil, options.certificateFile, options.keyFile, refusePassphrase))
        if !options.verifiesHostname { codes.append(mosquitto_tls_insecure_set(client, true)) }
    }
    return codes.first { $0 != MOSQ_ERR_SUCCESS.rawValue } ?? MOSQ_ERR_SUCCESS.rawValue
}

private func setWill(_ client: OpaquePointer, _ will: OutgoingMessage, _ options: BrokerOptions) -> Int32 {
    var properties: OpaquePointer?
    if options.version == .v5 {
        if let expiry = will.expirySeconds {
            mosquitto_property_add_int32(&properties, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), expiry)
        }
        if options.willDelaySeconds > 0 {
            mosquitto_property_add_int32(
                &properties, Int32(MQTT_PROP_WILL_DELAY_INTERVAL.rawValue), options.willDelaySeconds)
        }
    }
    // On success, libmosquitto owns the properties.
    let code = mosquitto_will_set_v5(
        client, will.topic, Int32(clamping: will.payload.count), will.payload, will.qos.rawValue, will.retain,
        properties)
    if code != MOSQ_ERR_SUCCESS.rawValue { mosquitto_property_free_all(&properties) }
    return code
}
