import Beacons
import Glibc
import Linux
import Messages
import TestBroker

/// One connection to an HTTP server of the loopback: it sends what a test writes, right or wrong.
final class HTTPConnection {
    private let number: Int32
    private var received: [UInt8] = []
    private(set) var isOver = false

    init(port: Int) throws {
        number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw SystemError.last("make a socket") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafeBytes(of: &address) {
            connect(number, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
        guard result == 0 else { throw SystemError.last("connect to port \(port)") }
    }

    deinit { close(number) }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Ends what this side sends.
    func finish() { shutdown(number, Int32(SHUT_WR)) }

    /// Waits until more has come; returns whether it has.
    func takeMore(until deadline: Instant) -> Bool {
        guard !isOver, wait(for: [number], until: deadline)[0] else { return false }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = read(number, &buffer, buffer.count)
        guard count > 0 else {
            isOver = true
            return false
        }
        received += buffer[..<count]
        return true
    }

    /// Takes what has come up to `separator`; `nil` if it does not come in time.
    func take(through separator: String, within patience: Interval = .seconds(30)) -> String? {
        let deadline = Clock.now + patience
        let mark = Array(separator.utf8)
        while true {
            if let end = received.firstRange(of: mark)?.upperBound {
                defer { received.removeFirst(end) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            guard takeMore(until: deadline) else { return nil }
        }
    }

    func take(_ count: Int, within patience: Interval = .seconds(30)) -> [UInt8]? {
        let deadline = Clock.now + patience
        while received.count < count { guard takeMore(until: deadline) else { return nil } }
        defer { received.removeFirst(count) }
        return Array(received[..<count])
    }

    /// A response with its body; `nil` if the connection ends before.
    func response(hasBody: Bool = true) -> HTTPReply? {
        guard let head = take(through: "\r\n\r\n") else { return nil }
        let lines = head.split(separator: "\r\n").map(String.init)
        guard let first = lines.first, let status = first.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingBlanks
        }
        var reply = HTTPReply(status: status, headers: headers, body: "")
        if hasBody, let length = headers["content-length"].flatMap({ Int($0) }), length > 0 {
            guard let body = take(length) else { return nil }
            reply.body = String(decoding: body, as: UTF8.self)
        }
        return reply
    }
}

/// What a server has sent in response.
struct HTTPReply {
    var status: Int
    var headers: [String: String]
    var body: String
}

/// One page as a client sees it.
struct HTTPClient {
    var port: Int
    var token: String?
    var cookie: String?
    var csrf: String?

    init(port: Int, token: String? = nil) {
        self.port = port
        self.token = token
    }

    func get(_ path: String, _ headers: [String: String] = [:]) throws -> HTTPReply { try send("GET", path, headers) }

    /// Sends a request over a connection of its own and takes the response.
    func send(_ method: String, _ path: String, _ headers: [String: String] = [:], body: String? = nil) throws
        -> HTTPReply
    {
        let connection = try HTTPConnection(port: port)
        connection.send(text(method, path, headers, body: body))
        guard let reply = connection.response(hasBody: method != "HEAD") else {
            throw TestBrokerError("no response to \(method) \(path)")
        }
        return reply
    }

    /// The request as it goes over the wire.
    func text(_ method: String, _ path: String, _ headers: [String: String] = [:], body: String? = nil) -> String {
        var lines = ["\(method) \(path) HTTP/1.1"]
        if headers["Host"] == nil { lines.append("Host: localhost:\(port)") }
        if let token { lines.append("Authorization: Bearer \(token)") }
        if let cookie { lines.append("Cookie: forgetmenot=\(cookie)") }
        if let csrf { lines.append("X-Forgetmenot-CSRF: \(csrf)") }
        for (name, value) in headers { lines.append("\(name): \(value)") }
        if let body {
            if headers["Content-Type"] == nil { lines.append("Content-Type: application/json") }
            lines.append("Content-Length: \(body.utf8.count)")
        }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
    }
}

extension Substring {
    fileprivate var trimmingBlanks: String {
        var text = self
        while text.first == " " { text.removeFirst() }
        return String(text)
    }
}

extension HTTPClient {
    /// The presence of each stay of one item, by its beginning.
    func stays(of item: String) throws -> [(from: WallTime, presence: String)] {
        let body = try get("/api/v1/history?limit=1000&item=\(item)&from=2020-01-01T00:00:00Z").body
        let rows = try JSONValue(parsing: Array(body.utf8), limits: .list).object?["stays"]?.array ?? []
        return rows.compactMap { row in
            guard let from = row.object?["from"]?.string.flatMap({ WallTime($0) }) else { return nil }
            return (from, row.object?["presence"]?.string ?? "")
        }
    }
}
