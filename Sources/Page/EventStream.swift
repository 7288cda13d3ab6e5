import Hummingbird
import Synchronization

/// The events for one reader of a stream. The queue is bounded: a reader that does not keep up is cut off and connects again.
final class EventStream: Sendable {
    /// What the reader follows.
    enum Subject: Sendable { case site, nearby }

    /// The limit of events that wait for one reader.
    static let most = 256
    /// The limit of readers.
    static let mostReaders = 256

    let subject: Subject
    let caller: Caller
    /// The events, until the end.
    let frames: AsyncStream<ByteBuffer>
    private let source: AsyncStream<ByteBuffer>.Continuation
    /// Closes the connection, which also ends a write that waits for the reader.
    private let cutOff: @Sendable () -> Void

    init(_ subject: Subject, for caller: Caller, cutOff: @escaping @Sendable () -> Void) {
        self.subject = subject
        self.caller = caller
        self.cutOff = cutOff
        (frames, source) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.most))
    }

    /// Adds an event; returns whether the reader still follows.
    func send(_ frame: ByteBuffer) -> Bool {
        switch source.yield(frame) {
        case .enqueued: return true
        case .terminated: return false
        case .dropped:
            end()
            return false
        @unknown default: return false
        }
    }

    /// Ends the stream and its connection.
    func end() {
        source.finish()
        cutOff()
    }
}
