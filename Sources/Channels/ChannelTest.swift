import Beacons

/// A message that somebody asked for over each channel of a person: sent once, and not stored.
struct ChannelTest: Sendable {
    /// How long the results are waited for. The page and the commands wait for 5 s.
    static let longest = Interval.seconds(4)

    let id: UInt64
    private let endsAt: Instant
    private var ways: [(delivery: Delivery, isStarted: Bool, outcome: DeliveryOutcome?)]

    init(id: UInt64, endsAt: Instant, _ deliveries: [Delivery]) {
        self.id = id
        self.endsAt = endsAt
        ways = deliveries.map { ($0, false, nil) }
    }

    /// The deliveries, at the first call.
    mutating func start() -> [Delivery] {
        let due = ways.filter { !$0.isStarted }.map(\.delivery)
        for index in ways.indices { ways[index].isStarted = true }
        return due
    }

    /// Notes an outcome; returns whether the delivery is one of this test.
    mutating func finish(_ number: UInt64, _ outcome: DeliveryOutcome) -> Bool {
        guard let index = ways.firstIndex(where: { $0.delivery.number == number }) else { return false }
        ways[index].outcome = outcome
        return true
    }

    func channel(of number: UInt64) -> ChannelSettings { ways.first { $0.delivery.number == number }!.delivery.channel }

    func isOver(at now: Instant) -> Bool { now >= endsAt || ways.allSatisfy { $0.outcome != nil } }

    var results: [(ChannelSettings, DeliveryOutcome?)] { ways.map { ($0.delivery.channel, $0.outcome) } }
}
