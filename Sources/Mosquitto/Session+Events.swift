import Beacons
import CMosquitto
import Linux
import Messages

/// The events of libmosquitto's callbacks. They are only recorded; the session acts after libmosquitto's call has
/// returned.
extension Session {
    /// Handles the broker's response to CONNECT.
    func greeted(_ greeting: Greeting) {
        self.greeting = greeting
        guard greeting.code == 0 else { return }
        // The phase changes here, because messages of a stored session may follow within the same read.
        phase = .open
        openedAt = Clock.now
        window = Window(receiveMaximum: greeting.receiveMaximum)
        exchange.connected(sessionPresent: greeting.isSessionPresent)
    }

    /// Handles the end of the connection. `code` is that of the broker's DISCONNECT with MQTT 5; other endings are also
    /// detected by the caller.
    func ended(code: Int32) {
        guard case .open = phase, code >= 0x80, fault == nil else { return }
        if code == Int32(MQTT_RC_PACKET_TOO_LARGE.rawValue), let suspect = window.suspect {
            heldBack.caught(suspect, at: Clock.now)
        }
        fault =
            code == Int32(MQTT_RC_SESSION_TAKEN_OVER.rawValue)
            ? .takenOver(options) : .ended(options, code: code)
    }

    /// Handles the broker's response to a publication of QoS 1. A publication of QoS 0 has no response.
    func acknowledged(packet: Int32, code: Int32) {
        guard let entry = window.acknowledged(packet: packet) else {
            if code >= 0x80 { echo.refused() }
            return
        }
        if code >= 0x80 {
            exchange.report(.refused(entry.id, .publication(options, topic: entry.publication.topic, code: code)))
        } else {
            heldBack.taken(entry.publication)
            let unheard = code == Int32(MQTT_RC_NO_MATCHING_SUBSCRIBERS.rawValue)
            exchange.report(.acknowledged(entry.id, unheard: unheard))
        }
    }

    /// Handles the broker's response to subscriptions, with a code for each.
    func subscribed(packet: Int32, codes: [Int32]) {
        for (index, subscription) in (subscribing.removeValue(forKey: packet) ?? []).enumerated() {
            let (filter, code) = (subscription.filter, index < codes.count ? codes[index] : nil)
            if let code, let qos = QoS(rawValue: code) {
                refused.removeAll { $0.filter == filter }
                exchange.report(.subscribed(filter: filter, qos: qos))
            } else {
                refuse(subscription, .subscription(options, filter: filter, code: code))
            }
        }
    }

    /// Requests a subscription again after a while, and reports its first refusal on this connection.
    func refuse(_ subscription: Subscription, _ refusal: BrokerRejection) {
        resubscribesAt = resubscribesAt ?? Clock.now + resubscribeWait
        guard !refused.contains(subscription) else { return }
        refused.append(subscription)
        exchange.report(.subscriptionRefused(filter: subscription.filter, refusal))
    }

    /// Handles a message, which is only valid during this call.
    func received(_ message: mosquitto_message, expiresInSeconds: UInt32?) {
        let count = Int(message.payloadlen)
        guard count <= BrokerOptions.largestPayload else { return exchange.refused(.tooLarge) }
        guard let characters = message.topic, let topic = String(validatingCString: characters) else {
            return exchange.refused(.badTopic)
        }
        let isEcho = topic == options.echo?.topic
        if isEcho || message.qos > 0 { echo.arrived(isEcho: isEcho, at: Clock.now) }
        guard !isEcho else { return }
        let payload = UnsafeRawBufferPointer(start: message.payload, count: message.payload == nil ? 0 : count)
        exchange.received(
            BrokerMessage(
                topic: topic, payload: [UInt8](payload), retained: message.retain,
                qos: message.qos > 0 ? .atLeastOnce : .atMostOnce, expiresInSeconds: expiresInSeconds))
    }

    /// Handles a log line of libmosquitto. OpenSSL's first error is the cause of the later ones.
    func logged(_ text: String) {
        if text.contains("host name verification failed") { isNameRefused = true }
        guard text.hasPrefix("OpenSSL Error"), tlsReason == nil else { return }
        tlsReason = text.split(separator: ":").last.map(String.init)
        if let tls = handle.tls { tlsVerdict = SSL_get_verify_result(tls) }
        let another = [X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH]
        if another.contains(Int32(clamping: tlsVerdict)) { isNameRefused = true }
    }
}
