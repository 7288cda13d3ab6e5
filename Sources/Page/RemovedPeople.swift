import Beacons

/// The people whose topics were cleared, until it is known that they were removed: from the configuration, as no response reports it.
///
/// If the aggregator has the person, it publishes the person again: somebody else has cleared the topic.
struct RemovedPeople: Sendable {
    /// Longer than the aggregator takes: after a connect it may wait a minute for gateways.
    static let patience = Interval.seconds(90)

    private var clearedAt: [String: Instant] = [:]

    /// The broker has delivered a location of a person, or that it was cleared.
    mutating func note(_ id: String, isCleared: Bool, at now: Instant) { clearedAt[id] = isCleared ? now : nil }

    /// The broker is connected, and delivers what it retains.
    mutating func connected(at now: Instant) { clearedAt = clearedAt.mapValues { _ in now } }

    /// The people who were removed, each once.
    mutating func take(at now: Instant) -> [String] {
        let removed = clearedAt.filter { now - $0.value >= Self.patience }.keys.sorted()
        for id in removed { clearedAt[id] = nil }
        return removed
    }
}
