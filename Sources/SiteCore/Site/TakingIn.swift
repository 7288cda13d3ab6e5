import Beacons
import HomeAssistant

/// What Home Assistant takes in at the moment: what is not retained is lost meanwhile.
struct TakingIn: Sendable {
    /// Events wait so long behind a new device.
    static let period = Interval.milliseconds(2500)
    /// Events wait no longer than this, however many devices are new.
    static let longest = Interval.seconds(10)

    /// Events wait until then, and have waited since.
    private(set) var eventsWaitUntil = Instant.zero
    private var eventsWaitSince = Instant.zero
    private var newsAt = Instant.zero
    /// Announced items, each with the time when Home Assistant has taken it in, in the order of these times.
    private var items: [(id: String, at: Instant)] = []

    mutating func add(_ portion: Announcer.Portion, at now: Instant) {
        items += portion.newItems.map { ($0, now + Self.period) }
        guard portion.hasNews else { return }
        if now > newsAt + Self.period { eventsWaitSince = now }
        newsAt = now
        eventsWaitUntil = min(now + Self.period, eventsWaitSince + Self.longest)
    }

    /// The items that Home Assistant has taken in since the last call.
    mutating func takeItems(at now: Instant) -> [String] {
        let due = items.firstIndex { $0.at > now } ?? items.endIndex
        defer { items.removeFirst(due) }
        return items[..<due].map(\.id)
    }
}
