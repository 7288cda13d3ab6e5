import Beacons
import Hummingbird
import NIOCore
import Synchronization

/// The bytes of the responses that clients have not taken yet, of all connections together.
final class Outgoing: Sendable {
    /// The limit of these bytes; a larger response waits alone.
    static let mostBytes = 32 << 20
    /// The bytes that a connection gets at once. The rest stays in the response's own buffer, which many connections may share.
    static let largestPart = 64 << 10
    /// How long a client may take nothing of a response before its connection is closed.
    static let longestPause = Interval.seconds(20)

    private let bytes = Mutex(0)

    /// Bytes that count as long as anybody refers to them.
    final class Held: Sendable {
        private let count: Int
        private let outgoing: Outgoing

        fileprivate init(_ count: Int, _ outgoing: Outgoing) {
            self.count = count
            self.outgoing = outgoing
        }

        deinit { outgoing.bytes.withLock { $0 -= count } }
    }

    /// Counts the bytes of one more response; `nil` if too many wait.
    func hold(_ count: Int) -> Held? {
        let isFull = bytes.withLock { bytes in
            guard bytes == 0 || bytes + count <= Self.mostBytes else { return true }
            bytes += count
            return false
        }
        return isFull ? nil : Held(count, self)
    }
}

/// A response that several clients take from one buffer.
struct SharedBody: Sendable {
    var buffer: ByteBuffer
    var held: Outgoing.Held
}

/// Writes in parts, so that a connection never has more than what its client is about to take.
struct PartWriter: ResponseBodyWriter {
    private var writer: any ResponseBodyWriter

    init(_ writer: any ResponseBodyWriter) { self.writer = writer }

    mutating func write(_ buffer: ByteBuffer) async throws {
        var rest = buffer
        while let part = rest.readSlice(length: min(Outgoing.largestPart, rest.readableBytes)), part.readableBytes > 0 {
            try await writer.write(part)
        }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws { try await writer.finish(trailingHeaders) }
}
