/// How far a reader has read the event logs of an aggregator: the last event of each run at which it stopped, the latest first.
///
/// Several aggregators of a site have a log each, and a new disk begins another one. A reader cannot know which runs stand in one log. So it
/// sends all of them, and a log goes on behind the one that is its own latest.
package struct LogCursor: Hashable, Sendable, LosslessStringConvertible {
    /// The limit of runs; those at which the reader stopped first are dropped, and their log is read again.
    package static let most = 64

    /// The last event of each run, the latest read first.
    package private(set) var events: [EventID] = []

    package init() {}

    /// The cursor of a reader that has read up to these events, the latest first.
    package init(_ events: some Sequence<EventID>) {
        for event in events where !self.events.contains(where: { $0.boot == event.boot }) { self.events.append(event) }
        self.events = Array(self.events.prefix(Self.most))
    }

    package var isEmpty: Bool { events.isEmpty }

    /// Notes that the reader has read up to `event`.
    public mutating func note(_ event: EventID) { self = LogCursor([event] + events) }

    /// Reads what `description` writes; texts that are no event ids are skipped.
    package init(_ text: String) { self.init(text.split(separator: " ").compactMap { EventID($0) }) }

    /// The events with a space between them.
    package var description: String { events.map(\.description).joined(separator: " ") }
}
