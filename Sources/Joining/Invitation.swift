import Beacons
import Glibc
import Linux

/// The site's end of joining: waits for the one gateway that has the code, and gives it its configuration.
package struct Invitation: ~Copyable {
    /// What became of a connection.
    package enum Outcome {
        /// The gateway has received everything.
        case received
        /// The other end does not have the code, or the connection ended early. The invitation is still valid.
        case refused
        /// Nobody connected in time.
        case expired
    }

    /// The port on which a site waits for a gateway.
    package static let standardPort = 8885
    /// How long an invitation is valid unless somebody wants it longer, for example for a machine that first has to start.
    package static let validity = Interval.seconds(600)
    /// How long an invitation may be valid.
    package static let longestValidity = Interval.seconds(86_400)
    /// How long the other end of a connection may take, so that no stranger holds up the gateway for long.
    package static let patience = Interval.seconds(5)
    /// How long the gateway waits for the site: some strangers may come before it.
    private static let gatewayPatience = Interval.seconds(15)
    private static let receipt = Array("received".utf8)

    package let code: JoinCode
    private let listener: FileDescriptor

    /// Begins to accept connections.
    ///
    /// - Parameter address: the only address of this machine that accepts them; `nil`: all.
    package init(code: JoinCode = JoinCode(), on address: String?, port: Int) throws(SystemError) {
        // "::" also takes connections over IPv4. A kernel may have no IPv6.
        let number = Self.listener(on: address ?? "::", port) ?? Self.listener(on: address ?? "0.0.0.0", port)
        guard let number else { throw .last("accept connections on port \(port)") }
        // Behind the throw: Swift 6.2 does not compile a throw out of half a value.
        self.code = code
        listener = FileDescriptor(owning: number)
    }

    private static func listener(on host: String, _ port: Int) -> Int32? {
        guard let addresses = Addresses(of: host, port: port), let address = addresses.first?.pointee else {
            return nil
        }
        let number = socket(address.ai_family, streamType, 0)
        // A client may be gone again before it is accepted.
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
        var (off, on) = (Int32(0), Int32(1))
        setsockopt(number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, socklen_t(4))
        setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(4))
        guard bind(number, address.ai_addr, address.ai_addrlen) == 0, listen(number, 16) == 0 else {
            close(number)
            return nil
        }
        return number
    }

    package var port: Int {
        var (address, length) = (sockaddr_in6(), socklen_t(MemoryLayout<sockaddr_in6>.size))
        withUnsafeMutablePointer(to: &address) {
            _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener.number, $0, &length) }
        }
        return Int(UInt16(bigEndian: address.sin6_port))
    }

    /// Gives the text to the next machine that connects, if it has the code.
    package func serve(_ text: String, until deadline: Instant, patience: Interval = patience) -> Outcome {
        guard wait(for: [listener.number], until: deadline) == [true] else { return .expired }
        let socket = FileDescriptor(owning: accept(listener.number, nil, nil))
        do throws(SecretChannel.Broken) {
            let channel = SecretChannel(.site, over: socket, code: code, until: Clock.now + patience)
            try channel.open()
            try channel.send(Array(text.utf8))
            return try channel.receive(limit: Self.receipt.count) == Self.receipt ? .received : .refused
        } catch {
            return .refused
        }
    }

    /// The gateway's end: fetches what the site has for the machine with this code.
    package static func fetch(from host: String, port: Int, code: JoinCode) throws(Failure) -> String {
        let socket = try connection(to: host, port: port)
        let deadline = Clock.now + gatewayPatience
        do throws(SecretChannel.Broken) {
            let channel = SecretChannel(.gateway, over: socket, code: code, until: deadline)
            try channel.open()
            let bytes = try channel.receive(limit: 1 << 16)
            try channel.send(receipt)
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            throw Failure(
                .unavailable,
                Clock.now < deadline
                    ? "\(host) refused the code: type it again, or print a new one with `sudo forgetmenot gateways invite`; if the "
                        + "code is right, \(host) is not the machine that printed it"
                    : "\(host) did not respond in time: run this again")
        }
    }

    /// A connection to the first address of `host` that accepts one.
    private static func connection(to host: String, port: Int) throws(Failure) -> FileDescriptor {
        guard let addresses = Addresses(of: host, port: port) else {
            throw Failure(.unavailable, "no machine has the name \(host): give its address")
        }
        var next = addresses.first
        while let address = next?.pointee {
            let candidate = FileDescriptor(owning: socket(address.ai_family, streamType, 0))
            // It limits `connect` as well.
            var limit = timeval(tv_sec: 5, tv_usec: 0)
            setsockopt(candidate.number, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            if connect(candidate.number, address.ai_addr, address.ai_addrlen) == 0 {
                return candidate
            }
            next = address.ai_next
        }
        throw Failure(
            .unavailable,
            "nobody waits for a gateway at \(host), port \(port): run `sudo forgetmenot gateways invite` there, and let port \(port) "
                + "through its firewall")
    }
}

private let streamType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

/// The addresses of a machine, as getaddrinfo finds them.
private struct Addresses: ~Copyable {
    let first: UnsafeMutablePointer<addrinfo>?

    /// `nil` if no machine has this name.
    init?(of host: String, port: Int) {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &list) == 0 else { return nil }
        first = list
    }

    deinit { freeaddrinfo(first) }
}
