import Glibc
import Linux

/// This host's loopback, with ports as the kernel has them free.
package enum Loopback {
    /// Which of its two addresses.
    package enum Family: Sendable {
        /// 127.0.0.1
        case v4
        /// ::1
        case v6
    }

    /// A port that no program uses now. Another program may take it before it is used: then the caller tries again.
    package static func freePort() throws(SystemError) -> UInt16 {
        try OpenSocket(listeningOn: 0, .v4, backlog: 1).port
    }

    /// Whether the resolver leads `name` to ::1 before anything else.
    package static func isIPv6First(_ name: String) -> Bool {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var result: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &result) == 0, let first = result else { return false }
        defer { freeaddrinfo(result) }
        return first.pointee.ai_family == AF_INET6
    }
}

/// A socket of the loopback, closed with the last that holds it.
final class OpenSocket {
    let number: Int32
    private let family: Loopback.Family

    init(_ family: Loopback.Family) throws(SystemError) {
        self.family = family
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        number = socket(family == .v4 ? AF_INET : AF_INET6, type, 0)
        guard number >= 0 else { throw SystemError.last("make a socket") }
    }

    /// - Parameter port: 0 for one of the kernel's choice.
    convenience init(listeningOn port: UInt16, _ family: Loopback.Family, backlog: Int32) throws(SystemError) {
        try self.init(family)
        guard withAddress(port: port, { bind(number, $0, $1) }) == 0, listen(number, backlog) == 0 else {
            throw SystemError.last("listen on port \(port) of the loopback")
        }
    }

    /// A connection that a client made to this socket; `nil` where no client is waiting.
    func accept() -> OpenSocket? {
        let number = Glibc.accept(number, nil, nil)
        guard number >= 0 else { return nil }
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        return OpenSocket(owning: number, family)
    }

    private init(owning number: Int32, _ family: Loopback.Family) {
        (self.number, self.family) = (number, family)
    }

    deinit {
        if number >= 0 { close(number) }
    }

    /// Does not wait: 0 when it is connected already.
    func connect(to port: UInt16) -> Int32 {
        withAddress(port: port) { Glibc.connect(number, $0, $1) }
    }

    var port: UInt16 {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &address) { bytes in
            getsockname(number, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length)
            // Both families have it in the same place, behind theirs.
            return UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }

    private func withAddress(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        switch family {
        case .v4:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return withSocketAddress(&address, body)
        case .v6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            return withSocketAddress(&address, body)
        }
    }
}

private func withSocketAddress<Address>(
    _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
) -> Int32 {
    withUnsafeBytes(of: &address) {
        body($0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
}
