import Messages

/// Publications that wait until the connection accepts them, in order.
///
/// Of a retained topic only the newest state waits, so that the outbox is hardly larger than what there is to retain. A burst that exceeds the
/// connection's queue is sent as the connection takes more: nothing is dropped, and nothing is published twice. A topic that is cleared
/// does not replace the state before: readers learn from that state why the topic is cleared.
package struct Outbox: Sendable {
    /// Messages that are not retained (responses, requests, notifications) wait up to this number. Further ones are dropped and counted.
    package static let mostMessages = 10_000

    private var waiting: [OutgoingMessage?] = []
    private var head = 0
    /// Where the publication of a retained topic waits.
    private var positions: [String: Int] = [:]
    private var messages = 0
    /// Messages that did not fit since `takeDropped`.
    private var dropped = 0

    package init() {}

    package private(set) var count = 0

    /// Adds a publication. One that waits on the same retained topic is replaced in its place, or removed where `goesLast`.
    ///
    /// - Parameter isStep: whether readers need the one that waits on the same topic as well, as Home Assistant does of discovery: it has to
    ///   read what a device leaves with before the device is cleared. With too many waiting, only the newest of a topic waits all the same.
    package mutating func add(_ publication: OutgoingMessage, goesLast: Bool = false, isStep: Bool = false) {
        if isStep || publication.payload.isEmpty, publication.retain, count < Self.mostMessages {
            positions[publication.topic] = waiting.count
            waiting.append(publication)
            count += 1
            return
        }
        if publication.retain, let position = positions[publication.topic] {
            guard goesLast else {
                waiting[position] = publication
                return
            }
            waiting[position] = nil
            count -= 1
        } else if !publication.retain {
            guard messages < Self.mostMessages else {
                dropped += 1
                return
            }
            messages += 1
        }
        if publication.retain { positions[publication.topic] = waiting.count }
        waiting.append(publication)
        count += 1
    }

    /// The publication that is the next to be published.
    package var first: OutgoingMessage? {
        mutating get {
            while head < waiting.count {
                if let next = waiting[head] { return next }
                head += 1
            }
            waiting.removeAll(keepingCapacity: waiting.count <= 1024)
            head = 0
            return nil
        }
    }

    /// Removes `first`, which the connection has accepted.
    package mutating func removeFirst() {
        guard let next = first else { return }
        count -= 1
        if !next.retain {
            messages -= 1
        } else if positions[next.topic] == head {
            positions[next.topic] = nil
        }
        waiting[head] = nil
        head += 1
        // Under a load that never ends the outbox is never empty: half of it at least is spent, so that each place is moved once on average.
        guard head >= 1024, head * 2 >= waiting.count else { return }
        waiting.removeFirst(head)
        positions = positions.mapValues { $0 - head }
        head = 0
    }

    /// How many messages did not fit since this was asked last.
    package mutating func drainDropped() -> Int {
        defer { dropped = 0 }
        return dropped
    }

    /// The connection is gone: what waited is published as it is then, after the next connect.
    package mutating func removeAll() { self = Outbox() }
}
