import Beacons
import Messages

/// The publications for which a broker ended the connection (MQTT 5, reason 149: packet too large). Each is refused and
/// then retried at growing intervals, because sending it after each connect would end every connection.
///
/// The broker does not name the publication; the oldest unanswered one is assumed. After a second case, all
/// publications at least as large as the smallest known one are held back. This ends when the
/// broker accepts one of that size. At most `most` are stored; the oldest is dropped first.
struct HeldBack {
    static let patience = (first: Interval.seconds(30), longest: Interval.seconds(900))
    static let most = 20

    private struct Entry {
        var publication: OutgoingMessage
        var until: Instant
        var pause: Interval
    }

    private var entries: [Entry] = []
    private var largestTaken = 0

    /// Records that the broker ended the connection for this publication.
    mutating func caught(_ publication: OutgoingMessage, at now: Instant) {
        var pause = Self.patience.first
        if let index = entries.firstIndex(where: { $0.publication == publication }) {
            pause = min(entries.remove(at: index).pause * 2, Self.patience.longest)
        }
        if entries.count == Self.most { entries.removeFirst() }
        entries.append(Entry(publication: publication, until: now + pause, pause: pause))
    }

    mutating func taken(_ publication: OutgoingMessage) {
        largestTaken = max(largestTaken, publication.size)
        entries.removeAll { $0.publication == publication }
    }

    /// Whether this publication must not be sent now.
    func refuses(_ publication: OutgoingMessage, at now: Instant) -> Bool {
        let held = entries.filter { now < $0.until }
        if held.contains(where: { $0.publication == publication }) { return true }
        guard !held.isEmpty, entries.count > 1, let smallest = entries.map(\.publication.size).min() else {
            return false
        }
        return publication.size >= smallest && smallest > largestTaken
    }
}
