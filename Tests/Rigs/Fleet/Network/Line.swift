import Beacons
import Simulation

/// The way between one client and the broker. Each direction keeps the order of each QoS, and nothing else is promised.
struct Line: Sendable {
    /// Counts the client's connections: what is on its way belongs to one of them.
    private(set) var epoch = 0
    /// Whether the client has been let in, as it knows.
    var isOpen = false
    /// Until then nothing arrives, and what was sent arrives later if its connection is still there.
    var deadUntil = Instant.zero
    private var lastArrivals = [Instant](repeating: .zero, count: 4)
    private let seed: UInt64
    private var counts: [String: UInt64] = [:]

    init(seed: UInt64) {
        self.seed = seed
    }

    /// A new attempt; what belongs to the former ones is void.
    mutating func dial() -> Int {
        epoch += 1
        isOpen = false
        return epoch
    }

    enum Direction: Int { case up, down }

    /// When what is sent now arrives: a few milliseconds on, now and then some seconds. What is drawn depends on the topic and on how often it was
    /// used, and not on what else is sent, so that two runs of one seed stay comparable.
    mutating func arrival(of packet: Packet, _ direction: Direction, at now: Instant) -> Instant {
        var random = chance(packet.topic, direction)
        let isSlow = random.uniform() < 0.003
        let delay = Interval.seconds(isSlow ? 4 * random.uniform() : 0.002 + 0.02 * random.uniform())
        let kind = direction.rawValue * 2 + (packet.isAcknowledged ? 1 : 0)
        let arrival = max(now + delay, deadUntil + delay, lastArrivals[kind])
        lastArrivals[kind] = arrival
        return arrival
    }

    /// Whether a packet is lost on a connection that stays: QoS 0 may be, where a queue is full.
    mutating func loses(_ packet: Packet) -> Bool {
        guard !packet.isAcknowledged else { return false }
        var random = chance(packet.topic, .down)
        return random.uniform() < 0.005
    }

    private mutating func chance(_ topic: String, _ direction: Direction) -> SplitMix64 {
        counts[topic, default: 0] += 1
        var hash = seed &+ UInt64(direction.rawValue)
        for byte in topic.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return SplitMix64(seed: hash &+ counts[topic]! &* SplitMix64.increment)
    }
}
