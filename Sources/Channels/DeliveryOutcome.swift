import Beacons

package enum DeliveryOutcome: Hashable, Sendable {
    /// The server, or the program, has taken it.
    case taken
    /// It was not taken, for this reason. The server may want no request before a pause.
    case refused(String, pause: Interval? = nil)
    /// It may have been taken or not, because of this.
    case uncertain(String)
    /// The browser has ended its subscription: nothing reaches it any more.
    case ended

    /// The reason why it was not taken for certain; `nil`: it was taken.
    package var problem: String? {
        switch self {
        case .taken: nil
        case .refused(let reason, _), .uncertain(let reason): reason
        case .ended: "the browser has ended its subscription"
        }
    }

    /// The outcome of a program that ended with a status.
    ///
    /// - Parameter output: what the program printed.
    package init(of delivery: Delivery, status: Int32, output: [UInt8]) {
        switch delivery.channel.kind {
        case .ntfy, .homeAssistant, .webPush:
            // The header Retry-After may also be a date, which counts as absent.
            let numbers = output.split(separator: UInt8(ascii: " ")).map { Int(String(decoding: $0, as: UTF8.self)) }
            let code = numbers.first.flatMap(\.self) ?? 0
            let pause = numbers.dropFirst().first.flatMap(\.self).map { min(.seconds(Double($0)), Self.longestPause) }
            self =
                status != 0 ? Self(ofCurl: status) : Self(ofPush: code, delivery) ?? Self(ofHTTP: code, delivery, pause)
        case .apprise, .command:
            self = status == 0 ? .taken : .uncertain("exit status \(status)")
        }
    }

    /// What a push service alone means by a status (RFC 8030, RFC 8292).
    private init?(ofPush code: Int, _ delivery: Delivery) {
        guard case .webPush = delivery.channel.kind else { return nil }
        switch code {
        case 404, 410: self = .ended
        case 400, 401, 403:
            self = .refused(
                "HTTP status \(code): check this machine's clock and page.url, or subscribe the browser again")
        default: return nil
        }
    }

    /// The longest pause that a server gets.
    private static let longestPause = Interval.seconds(3600)

    private init(ofHTTP code: Int, _ delivery: Delivery, _ pause: Interval?) {
        let isNtfy = if case .ntfy = delivery.channel.kind { true } else { false }
        switch code {
        case 200..<300: self = .taken
        // Home Assistant has no such service. While it starts, it has none for any phone.
        case 400 where !isNtfy: self = .refused("HTTP status 400: check the service")
        // An older ntfy server cannot clear: nothing is left to do.
        case 400, 404, 405: self = isNtfy && delivery.content == .nothing ? .taken : .refused("HTTP status \(code)")
        case 401, 403: self = .refused("HTTP status \(code): check the token")
        case 300..<400: self = .refused("HTTP status \(code): write the URL that the server redirects to")
        case 429: self = .refused("HTTP status 429: the server wants fewer messages", pause: pause)
        default: self = .refused("HTTP status \(code)", pause: pause)
        }
    }

    private init(ofCurl status: Int32) {
        self =
            switch status {
            case 6: .refused("the host is unknown")
            case 7: .refused("the server cannot be reached")
            case 28: .uncertain("no response within \(HTTPRequest.longest) s")
            case 35, 51, 58, 60: .refused("the server's certificate is not trusted")
            case 52: .uncertain("the server closed the connection without a response")
            case 63: .uncertain("the server's response is too large for a push service's")
            default: .uncertain("curl's error \(status)")
            }
    }
}
