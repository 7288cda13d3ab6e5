import Beacons
import Glibc
import Linux

/// A server of HTTP that messages to persons are sent to: it responds as a test wants, like ntfy and Home Assistant, or not at all.
///
/// It has no thread: a test takes each request in its own time.
package final class TestPushServer {
    /// A request as it came.
    package struct Request {
        package var method: String
        package var path: String
        /// The lines of the headers.
        package var headers: [String]
        package var body: String
    }

    /// The port of the loopback.
    package let port: UInt16
    private let listener: OpenSocket
    /// Connections that got no response, and stay open.
    private var held: [OpenSocket] = []
    /// Whether the server accepts connections. The port stays its own.
    package var isUp = true {
        didSet {
            if isUp != oldValue { _ = isUp ? listen(listener.number, 16) : shutdown(listener.number, Int32(SHUT_RDWR)) }
        }
    }

    /// A server on a free port.
    package init() throws {
        // A port of the kernel's choice would be lost while the server is down. Another program may be faster to take one that is free.
        var listener: OpenSocket?
        for _ in 0..<5 where listener == nil {
            listener = try? OpenSocket(listeningOn: Loopback.freePort(), .v4, backlog: 16)
        }
        guard let listener else { throw TestBrokerError("no port is free") }
        (self.listener, port) = (listener, listener.port)
        // Connections that have just ended would keep the server from opening its port again.
        var yes: Int32 = 1
        setsockopt(listener.number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Whether a client connects within `span`.
    package func isCalled(within span: Interval) -> Bool {
        wait(for: isUp ? [listener.number] : [], until: Clock.now + span).first ?? false
    }

    /// The next request, which gets `status`; `nil`: the connection is held open without a response.
    package func take(status: Int? = 200, within patience: Interval = .seconds(60)) throws -> Request {
        let deadline = Clock.now + patience
        guard wait(for: [listener.number], until: deadline)[0], let socket = listener.accept() else {
            throw TestBrokerError("nobody sent a request")
        }
        var bytes: [UInt8] = []
        while true {
            if let request = Request(bytes) {
                if let status {
                    let response = "HTTP/1.1 \(status) Status\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
                    _ = send(socket.number, response, response.utf8.count, Int32(MSG_NOSIGNAL))
                } else {
                    held.append(socket)
                }
                return request
            }
            var chunk = [UInt8](repeating: 0, count: 65_536)
            guard wait(for: [socket.number], until: deadline)[0] else { throw TestBrokerError("half a request") }
            let count = recv(socket.number, &chunk, chunk.count, 0)
            guard count > 0 else { throw TestBrokerError("the client hung up") }
            bytes += chunk[..<count]
        }
    }
}

extension TestPushServer.Request {
    /// A whole request; `nil` if there is more to come.
    fileprivate init?(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
        let lines = text[..<end.lowerBound].split(separator: "\r\n").map(String.init)
        let length = lines.first { $0.lowercased().hasPrefix("content-length:") }.flatMap {
            Int($0.split(separator: " ").last ?? "")
        }
        body = String(text[end.upperBound...])
        guard body.utf8.count >= length ?? 0 else { return nil }
        let words = lines[0].split(separator: " ").map(String.init)
        (method, path, headers) = (words[0], words[1], Array(lines.dropFirst()))
    }
}
