import CMosquitto
import Glibc

/// The faults that end a session.
extension Session {
    /// Evaluates the result of a call to libmosquitto, and whether the connection still exists.
    func check(_ code: Int32, _ reason: Int32) {
        guard fault == nil, code != MOSQ_ERR_SUCCESS.rawValue || handle.socket < 0 else { return }
        fail(code, reason)
    }

    func isBroken(_ code: Int32) -> Bool {
        let broken = [MOSQ_ERR_NO_CONN, MOSQ_ERR_CONN_LOST, MOSQ_ERR_ERRNO, MOSQ_ERR_TLS]
        return broken.contains { $0.rawValue == code }
    }

    func fail(_ code: Int32, _ reason: Int32) {
        guard fault == nil else { return }
        switch phase {
        case .parting: fault = .stopped
        case .open: fault = openFault(code, reason)
        case .reaching, .handshaking: fault = earlyFault(code, reason)
        }
    }

    private func earlyFault(_ code: Int32, _ reason: Int32) -> BrokerFault {
        if let greeting, greeting.code != 0 { return .notLetIn(options, code: greeting.code) }
        if isNameRefused { return .certificateOfAnother(options) }
        if tlsVerdict != Int(X509_V_OK) { return .certificate(options, verdict: tlsVerdict) }
        if let tlsReason, !isSudden(tlsReason) { return .tls(options, reason: tlsReason) }
        if case .reaching = phase {
            let isKnown = code == MOSQ_ERR_ERRNO.rawValue || reason == ECONNREFUSED
            return isKnown && reason != 0 && reason != EPROTO
                ? .unreachable(options, code: reason) : .goneAtOnce(options)
        }
        return isHangup(code) ? .closedUnanswered(options) : .notMQTT(options)
    }

    private func openFault(_ code: Int32, _ reason: Int32) -> BrokerFault {
        if let tlsReason {
            return isAlert(tlsReason) ? .tls(options, reason: tlsReason) : .lost(options, reason: tlsReason)
        }
        if code == MOSQ_ERR_KEEPALIVE.rawValue {
            return .lost(options, reason: "no response for \(options.keepAliveSeconds) s")
        }
        guard isHangup(code) else {
            return .lost(options, reason: "the broker sent invalid MQTT \(options.version.rawValue)")
        }
        let isReset = code == MOSQ_ERR_CONN_LOST.rawValue ? reason == ECONNRESET : code != MOSQ_ERR_SUCCESS.rawValue
        guard isReset else { return .closed(options) }
        // With TLS, `errno` is left over from OpenSSL's shutdown.
        let isKnown = options.caFile == nil && reason != 0
        return .lost(options, reason: isKnown ? String(cString: strerror(reason)) : "connection closed")
    }

    /// Whether the code means a closed connection or a network error, as opposed to an invalid packet.
    private func isHangup(_ code: Int32) -> Bool {
        isBroken(code) || code == MOSQ_ERR_SUCCESS.rawValue
    }

    private func isAlert(_ reason: String) -> Bool { reason.contains("alert") }
    private func isSudden(_ reason: String) -> Bool { reason.contains("unexpected eof") }
}
