import Messages

/// What became of a delivery.
package enum DeliveryOutcome: Hashable, Sendable {
    /// The server, or the program, has taken it.
    case taken
    /// It was not taken, for this reason.
    case refused(String)
    /// It may have been taken or not, because of this.
    case uncertain(String)
}

extension DeliveryOutcome {
    /// The reason why it was not taken for certain; `nil`: it was taken.
    package var problem: String? {
        switch self {
        case .taken: nil
        case .refused(let reason), .uncertain(let reason): reason
        }
    }

    /// The outcome of a program that ended with a status.
    ///
    /// - Parameter output: what the program printed.
    package init(of delivery: Delivery, status: Int32, output: [UInt8]) {
        switch delivery.channel.kind {
        case .ntfy, .homeAssistant:
            let code = Int(String(decoding: output.prefix(3), as: UTF8.self)) ?? 0
            self = status == 0 ? Self(ofHTTP: code, delivery) : Self(ofCurl: status)
        case .apprise, .command:
            self = status == 0 ? .taken : .uncertain("exit status \(status)")
        }
    }

    private init(ofHTTP code: Int, _ delivery: Delivery) {
        switch code {
        case 200..<300: self = .taken
        // An older ntfy server cannot clear: nothing is left to do.
        case 400, 404, 405: self = delivery.content == .nothing ? .taken : .refused("HTTP status \(code)")
        case 401, 403: self = .refused("HTTP status \(code): check the token")
        case 300..<400: self = .refused("HTTP status \(code): write the URL that the server redirects to")
        case 429: self = .refused("HTTP status 429: the server wants fewer messages")
        default: self = .refused("HTTP status \(code)")
        }
    }

    private init(ofCurl status: Int32) {
        self =
            switch status {
            case 6: .refused("the host is unknown")
            case 7: .refused("the server cannot be reached")
            case 28: .uncertain("no response within \(HTTPRequest.longest) s")
            case 35, 51, 58, 60: .refused("the server's certificate is not trusted")
            default: .uncertain("curl's error \(status)")
            }
    }
}
