import Beacons

/// The senders of one identity: up to 16 addresses of the last minute, and how many of them send at the same time.
///
/// A private address and its successor are one sender. If the set is full of addresses of the last minute, a new address has no place: its
/// sightings count only where no senders send at the same time, as of a tag that uses each address once.
struct AddressSet: Sendable {
    struct Sender: Sendable {
        var address: DeviceAddress
        var power: MeasuredPower
        var first: Instant
        var last: Instant
        /// The moving mean of the RSSI in dBm, to find the strongest sender; `nil` before the first RSSI.
        var level: Double?
        /// The sightings of this window, and the sum of the RSSI of those that had one.
        var sightings = 0
        var measured = 0
        var sum = 0

        mutating func note(_ sighting: Sighting) {
            last = max(sighting.at, last)
            power = sighting.measuredPower
            sightings += 1
            guard let rssi = sighting.rssi.map({ Int($0.dBm) }) else { return }
            measured += 1
            sum += rssi
            let before = level ?? Double(rssi)
            level = before + (Double(rssi) - before) / 8
        }
    }

    /// The senders; the last of 17 stands for all addresses without a place.
    private(set) var senders: [Sender] = []
    /// The place of the strongest, where several send.
    private(set) var strongest = 0

    private static let limit = 16
    private static let memory = Interval.seconds(60)
    /// Another sender becomes the strongest if its mean RSSI is higher by so many dB.
    private static let margin = 3.0

    /// Records a sighting. Returns the place of the sender, which stays the same while it sends.
    mutating func note(_ sighting: Sighting) -> Int {
        let place = place(of: sighting)
        senders[place].note(sighting)
        return place
    }

    private mutating func place(of sighting: Sighting) -> Int {
        for place in senders.indices where senders[place].address == sighting.address { return place }
        let sender = Sender(
            address: sighting.address, power: sighting.measuredPower, first: sighting.at, last: sighting.at)
        if let old = senders.firstIndex(where: { sighting.at - $0.last > Self.memory }) {
            senders[old] = sender
            return old
        }
        if senders.count <= Self.limit { senders.append(sender) }
        return senders.count - 1
    }

    /// How many addresses of the last minute were in use at the same time: the most that share a moment between their first and last
    /// sightings.
    func simultaneous(at now: Instant) -> Int {
        guard senders.count > 1 else { return 1 }
        let recent = senders.prefix(Self.limit).filter { now - $0.last <= Self.memory }
        return recent.map { one in recent.count { $0.first <= one.first && one.first <= $0.last } }.max() ?? 1
    }

    /// Chooses the strongest sender that was received since `start`. The former choice stays unless another sender is clearly stronger.
    mutating func choose(receivedSince start: Instant) {
        func level(_ place: Int) -> Double {
            senders[place].last >= start ? senders[place].level ?? -.infinity : -.infinity
        }
        guard let best = senders.indices.prefix(Self.limit).max(by: { level($0) < level($1) }) else { return }
        if level(best) > level(strongest) + Self.margin { strongest = best }
    }

    mutating func beginWindow() {
        for place in senders.indices {
            (senders[place].sightings, senders[place].measured, senders[place].sum) = (0, 0, 0)
        }
    }
}
