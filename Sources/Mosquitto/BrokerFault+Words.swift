import CMosquitto
import Glibc
import Messages

/// The kinds and sentences of faults. This file alone has them, so that equal causes give equal sentences.
extension BrokerFault {
    static func file(_ problem: FileProblem) -> BrokerFault {
        BrokerFault(.file, problem.description)
    }

    /// - Parameter code: the result of getaddrinfo, which libmosquitto leaves in `errno`.
    static func nameNotFound(_ options: BrokerOptions, code: Int32) -> BrokerFault {
        BrokerFault(.name, "cannot find the broker \(options.host): \(String(cString: gai_strerror(code)))")
    }

    static func unreachable(_ options: BrokerOptions, code: Int32) -> BrokerFault {
        let hint = code == ECONNREFUSED ? "; is the broker running, and is this its port?" : ""
        return BrokerFault(
            .unreachable, "cannot reach the broker at \(options.endpoint): \(String(cString: strerror(code)))\(hint)")
    }

    /// OpenSSL received the error first and hides the reason. This happens only if the broker is very near.
    static func goneAtOnce(_ options: BrokerOptions) -> BrokerFault {
        BrokerFault(
            .unreachable,
            "cannot reach the broker at \(options.endpoint): refused or closed at once; is it there, and a port for TLS?"
        )
    }

    static func closedUnanswered(_ options: BrokerOptions) -> BrokerFault {
        let hint =
            switch (options.caFile, options.certificateFile) {
            case (nil, _): "is it a port for TLS?"
            case (_, nil): "is it a port without TLS, or does it require a certificate?"
            default: "is it a port without TLS?"
            }
        return BrokerFault(.silent, "\(options.endpoint) closed the connection without a response: \(hint)")
    }

    static func unanswered(_ options: BrokerOptions) -> BrokerFault {
        BrokerFault(.silent, "\(options.endpoint) accepts connections but does not respond")
    }

    static func notMQTT(_ options: BrokerOptions) -> BrokerFault {
        BrokerFault(
            .silent,
            "the server at \(options.endpoint) does not support MQTT \(options.version.rawValue)\(options.otherVersionHint)"
        )
    }

    /// - Parameter verdict: OpenSSL's verdict on the broker's certificate (X509_V_…).
    static func certificate(_ options: BrokerOptions, verdict: Int) -> BrokerFault {
        let hint =
            switch Int32(clamping: verdict) {
            case X509_V_ERR_CERT_NOT_YET_VALID: "; is this host's clock right?"
            case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
                X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
                X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_SIGNATURE_FAILURE:
                "; ca_file is not the authority that signed it"
            default: ""
            }
        let reason = String(cString: X509_verify_cert_error_string(verdict))
        return BrokerFault(
            .certificate, "the certificate of \(options.endpoint) is not trusted: \(reason)\(hint)")
    }

    static func certificateOfAnother(_ options: BrokerOptions) -> BrokerFault {
        BrokerFault(.certificate, "the certificate of \(options.endpoint) is for another name than \(options.host)")
    }

    /// - Parameter reason: OpenSSL's text. An alert is a message from the broker.
    static func tls(_ options: BrokerOptions, reason: String) -> BrokerFault {
        if reason.contains("alert") {
            let who = options.certificateFile.map { "the certificate \($0)" } ?? "a client without certificate"
            return BrokerFault(.tls, "\(options.endpoint) rejects \(who): \(reason)")
        }
        let hint = reason.contains("wrong version number") ? "; is it a port without TLS?" : ""
        return BrokerFault(.tls, "TLS with \(options.endpoint) failed: \(reason)\(hint)")
    }

    /// - Parameter code: the broker's code in response to CONNECT, of either protocol version.
    static func notLetIn(_ options: BrokerOptions, code: Int32) -> BrokerFault {
        let who = options.username.map { "user \($0)" } ?? "a client without username"
        switch code {
        case 4, Int32(MQTT_RC_BAD_USERNAME_OR_PASSWORD.rawValue), 5, Int32(MQTT_RC_NOT_AUTHORIZED.rawValue):
            return BrokerFault(
                .credentials, "\(options.endpoint) rejects \(who): unknown, wrong password, or not authorized")
        case 2, Int32(MQTT_RC_CLIENTID_NOT_VALID.rawValue):
            return BrokerFault(.refused, "\(options.endpoint) does not accept the client id \(options.clientID)")
        case 1, Int32(MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION.rawValue):
            return BrokerFault(
                .refused,
                "\(options.endpoint) does not support MQTT \(options.version.rawValue)\(options.otherVersionHint)")
        case 3:
            return BrokerFault(.refused, "\(options.endpoint) rejects all clients: server unavailable")
        default:
            return BrokerFault(.refused, "\(options.endpoint) rejects \(who): \(reason(code))")
        }
    }

    static func takenOver(_ options: BrokerOptions) -> BrokerFault {
        BrokerFault(
            .takenOver,
            "another client connected as \(options.clientID): do two clients have this id? The next attempt is in several minutes"
        )
    }

    static func perhapsTakenOver(_ options: BrokerOptions) -> BrokerFault {
        BrokerFault(
            .takenOver,
            "\(options.endpoint) closes each connection after a short time: do two clients connect as \(options.clientID)?"
        )
    }

    static func closed(_ options: BrokerOptions) -> BrokerFault {
        BrokerFault(.closed, "\(options.endpoint) closed the connection")
    }

    /// - Parameter code: the code of the broker's DISCONNECT (MQTT 5).
    static func ended(_ options: BrokerOptions, code: Int32) -> BrokerFault {
        BrokerFault(.ended, "\(options.endpoint) ended the connection: \(reason(code))")
    }

    static func lost(_ options: BrokerOptions, reason: String) -> BrokerFault {
        BrokerFault(.lost, "the connection to \(options.endpoint) broke: \(reason)")
    }

    static func unacknowledged(_ options: BrokerOptions) -> BrokerFault {
        BrokerFault(.unacknowledged, "\(options.endpoint) does not acknowledge publications")
    }

    static func deaf(_ options: BrokerOptions) -> BrokerFault {
        BrokerFault(
            .deaf,
            "\(options.endpoint) accepts publications but delivers none: connecting again helps; does somebody publish more than 1 MiB at once?"
        )
    }

    static let stopped = BrokerFault(.stopped, "this program closed the connection")

    private static func reason(_ code: Int32) -> String {
        "\(String(cString: mosquitto_reason_string(code))) (\(code))"
    }
}

extension BrokerRejection {
    /// - Parameter code: the broker's code in response to a publication.
    static func publication(_ options: BrokerOptions, topic: String, code: Int32) -> BrokerRejection {
        let hint =
            code == Int32(MQTT_RC_NOT_AUTHORIZED.rawValue)
            ? ": its ACL denies \(options.username ?? options.clientID) write access" : ""
        return BrokerRejection(
            reasonCode: Int(code),
            description: "\(options.endpoint) refuses a publication to \(topic): \(reason(code))\(hint)")
    }

    /// - Parameter code: libmosquitto's code for a publication that it did not send.
    static func unsent(topic: String, code: Int32) -> BrokerRejection {
        let words = String(cString: mosquitto_strerror(code))
        return BrokerRejection(reasonCode: nil, description: "cannot publish to \(topic): \(words)")
    }

    static func unretained(_ options: BrokerOptions, topic: String) -> BrokerRejection {
        BrokerRejection(reasonCode: nil, description: "\(options.endpoint) retains no messages, such as \(topic)")
    }

    /// - Parameter code: the broker's code in response to a subscription; `nil` if the response has none.
    static func subscription(_ options: BrokerOptions, filter: String, code: Int32?) -> BrokerRejection {
        let words = code.map(reason) ?? "the response has no reason code"
        return BrokerRejection(
            reasonCode: code.map(Int.init),
            description: "\(options.endpoint) refuses the subscription to \(filter): \(words)")
    }

    static func unsubscribed(filter: String, code: Int32) -> BrokerRejection {
        let words = String(cString: mosquitto_strerror(code))
        return BrokerRejection(reasonCode: nil, description: "cannot subscribe to \(filter): \(words)")
    }

    private static func reason(_ code: Int32) -> String {
        "\(String(cString: mosquitto_reason_string(code))) (\(code))"
    }
}

extension BrokerOptions {
    /// Host and port in the usual notation.
    var endpoint: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    fileprivate var otherVersionHint: String {
        ": try version = \"\((version == .v5 ? BrokerOptions.Version.v311 : .v5).rawValue)\""
    }
}
