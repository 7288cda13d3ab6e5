import Hummingbird
import Synchronization

/// The events for one reader of a stream. The queue is bounded: a reader that does not keep up is cut off and connects again.
final class EventStream: Sendable {
    /// What the reader follows: the site, or the beacons in range that match a text.
    enum Subject: Hashable { case site, nearby(String) }

    /// The limit of events that wait for one reader.
    static let most = 256
    /// The limit of their bytes; a larger event waits alone. All readers share the bytes of an event.
    static let mostBytes = 16 << 20
    static let mostReaders = 256

    struct Frame: Sendable {
        var buffer: ByteBuffer
        /// What counts the bytes if they are those of a response, too.
        var held: Outgoing.Held?
    }

    let subject: Subject
    let caller: Caller
    /// The bytes of events, until the end. Whoever takes one calls `took`.
    let frames: AsyncStream<Frame>
    private let source: AsyncStream<Frame>.Continuation
    private let waiting = Mutex(0)
    /// Closes the connection, which also ends a write that waits for the reader.
    private let cutOff: @Sendable () -> Void

    init(_ subject: Subject, for caller: Caller, cutOff: @escaping @Sendable () -> Void) {
        self.subject = subject
        self.caller = caller
        self.cutOff = cutOff
        (frames, source) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.most))
    }

    /// Adds events; returns whether the reader still follows.
    func send(_ buffer: ByteBuffer, held: Outgoing.Held? = nil) -> Bool {
        let size = held == nil ? buffer.readableBytes : 0
        let isFull = waiting.withLock { waiting in
            guard waiting == 0 || waiting + size <= Self.mostBytes else { return true }
            waiting += size
            return false
        }
        if !isFull {
            switch source.yield(Frame(buffer: buffer, held: held)) {
            case .enqueued: return true
            case .terminated: return false
            case .dropped: break
            @unknown default: return false
            }
        }
        end()
        return false
    }

    /// The reader's connection has taken events.
    func took(_ frame: Frame) {
        guard frame.held == nil else { return }
        waiting.withLock { $0 -= frame.buffer.readableBytes }
    }

    func end() {
        source.finish()
        cutOff()
    }
}
