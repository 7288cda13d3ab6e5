import CMosquitto

// The callbacks of libmosquitto. They always run on the session's own thread, within a call by the session. They call
// libmosquitto only to read their parameters.

private func session(_ object: UnsafeMutableRawPointer?) -> Session {
    // `setCallbacks` sets this pointer for the session that owns the handle.
    Unmanaged<Session>.fromOpaque(object!).takeUnretainedValue()
}

let connectCallback: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, Int32, Int32, OpaquePointer?) -> Void = {
    _, object, code, flags, properties in
    var greeting = Greeting(code: code, isSessionPresent: flags & 1 != 0)
    var receiveMaximum: UInt16 = 0
    if mosquitto_property_read_int16(properties, Int32(MQTT_PROP_RECEIVE_MAXIMUM.rawValue), &receiveMaximum, false)
        != nil
    {
        greeting.receiveMaximum = Int(receiveMaximum)
    }
    var retains: UInt8 = 1
    mosquitto_property_read_byte(properties, Int32(MQTT_PROP_RETAIN_AVAILABLE.rawValue), &retains, false)
    greeting.retains = retains != 0
    session(object).greeted(greeting)
}

let disconnectCallback: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, Int32, OpaquePointer?) -> Void = {
    _, object, code, _ in session(object).ended(code: code)
}

let publishCallback: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, Int32, Int32, OpaquePointer?) -> Void = {
    _, object, packet, code, _ in session(object).acknowledged(packet: packet, code: code)
}

let subscribeCallback:
    @convention(c) (
        OpaquePointer?, UnsafeMutableRawPointer?, Int32, Int32, UnsafePointer<Int32>?, OpaquePointer?
    ) -> Void = { _, object, packet, count, codes, _ in
        // A broker may respond without any code, so there is nothing to read (CVE-2024-10525).
        let codes = count > 0 ? Array(UnsafeBufferPointer(start: codes, count: Int(count))) : []
        session(object).subscribed(packet: packet, codes: codes)
    }

let messageCallback:
    @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, UnsafePointer<mosquitto_message>?, OpaquePointer?) -> Void =
        {
            _, object, message, properties in
            guard let message else { return }
            var seconds: UInt32 = 0
            let expiry = Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue)
            let isPresent = mosquitto_property_read_int32(properties, expiry, &seconds, false) != nil
            session(object).received(message.pointee, expiresInSeconds: isPresent ? seconds : nil)
        }

let logCallback: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?) -> Void = {
    _, object, level, text in
    guard level == MOSQ_LOG_ERR, let text else { return }
    session(object).logged(String(cString: text))
}

/// The broker's response to CONNECT.
struct Greeting {
    /// The protocol's reason code; 0 means accepted.
    var code: Int32
    var isSessionPresent: Bool
    /// The number of unacknowledged publications that the broker accepts; `nil` if it did not report one.
    var receiveMaximum: Int?
    /// Whether the broker retains messages.
    var retains = true
}
