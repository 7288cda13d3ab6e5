import Beacons

/// The devices that this process has cleared within the last seconds.
struct Clearings: Sendable {
    /// The delay before a cleared device is announced again. Home Assistant needs about a second to remove its
    /// entities; an earlier announcement would create new entity ids.
    static let removal = Interval.seconds(2)
    /// The time for which an empty payload may be the echo of this process's own.
    static let echo = Interval.seconds(10)

    private var own: [DeviceID: (at: Instant, hasReturned: Bool)] = [:]

    mutating func note(_ id: DeviceID, at now: Instant) {
        own = own.filter { now - $0.value.at < Self.echo }
        own[id] = (now, false)
    }

    /// Whether an empty payload is the echo of the device's clearing: the first one is.
    mutating func takeEcho(of id: DeviceID, at now: Instant) -> Bool {
        guard let clearing = own[id], !clearing.hasReturned, now - clearing.at < Self.echo else { return false }
        own[id]?.hasReturned = true
        return true
    }

    /// Until when Home Assistant removes the device; `nil`: it does not.
    func removal(of id: DeviceID, at now: Instant) -> Instant? {
        own[id].map { $0.at + Self.removal }.flatMap { $0 > now ? $0 : nil }
    }
}
