import Beacons

/// The publications for which a broker ended the connection (MQTT 5, reason 149: packet too large). Each is refused here, and sent again
/// ever more rarely: sent right after each connect it would end every connection.
///
/// The broker does not say which it meant. It is taken to be the oldest that it had not answered. Once there is a second one, all that
/// is as large as the smaller of them is held back as well, unless the broker took something as large. At most `most` are known; of
/// more, the one that was caught first is forgotten.
struct HeldBack {
    static let patience = (first: Interval.seconds(30), longest: Interval.seconds(900))
    static let most = 20

    private struct Entry {
        var publication: Publication
        var until: Instant
        var pause: Interval
    }

    private var entries: [Entry] = []
    private var largestTaken = 0

    /// The broker ended the connection over this one.
    mutating func caught(_ publication: Publication, at now: Instant) {
        var pause = Self.patience.first
        if let index = entries.firstIndex(where: { $0.publication == publication }) {
            pause = min(entries.remove(at: index).pause * 2, Self.patience.longest)
        }
        if entries.count == Self.most { entries.removeFirst() }
        entries.append(Entry(publication: publication, until: now + pause, pause: pause))
    }

    /// The broker took it after all.
    mutating func taken(_ publication: Publication) {
        largestTaken = max(largestTaken, publication.size)
        entries.removeAll { $0.publication == publication }
    }

    /// Whether it is not to be sent now.
    func refuses(_ publication: Publication, at now: Instant) -> Bool {
        let held = entries.filter { now < $0.until }
        if held.contains(where: { $0.publication == publication }) { return true }
        guard !held.isEmpty, entries.count > 1, let smallest = entries.map(\.publication.size).min() else {
            return false
        }
        return publication.size >= smallest && smallest > largestTaken
    }
}
