import Beacons

/// When something happened, as its writer can say it: on its wall clock, for people, and on the clock of its boot, for reckoning.
public struct Stamp: Hashable, Sendable {
    /// On the writer's wall clock.
    public var at: WallTime
    /// The boot whose clock `uptime` is on.
    public var boot: Boot
    /// On the writer's monotonic clock, counted from the beginning of the boot; whole milliseconds are sent.
    public var uptime: Instant
    /// Whether the wall clock was synchronised.
    public var isClockSynchronised: Bool

    /// A stamp with all its properties.
    public init(at: WallTime, boot: Boot, uptime: Instant, isClockSynchronised: Bool = true) {
        self.at = at
        self.boot = boot
        self.uptime = uptime
        self.isClockSynchronised = isClockSynchronised
    }

    /// Corrects a time that no synchronised clock gave; returns by how much.
    mutating func date(from origin: WallTime) -> Interval {
        guard !isClockSynchronised else { return .zero }
        let right = origin + (uptime - .zero)
        defer { (at, isClockSynchronised) = (right, true) }
        return right - at
    }

    /// Writes `at`, `boot`, `uptime_ms`: the order of states.
    func writeTimeFirst(to json: inout JSONWriter) {
        writeTime(to: &json, alwaysSynchronised: false)
        writeBoot(to: &json)
    }

    /// Writes `boot`, `uptime_ms`, `at`: the order of events and of `info`, the gateway's with `clock_synchronised` true or false.
    func writeBootFirst(to json: inout JSONWriter, alwaysSynchronised: Bool = false) {
        writeBoot(to: &json)
        writeTime(to: &json, alwaysSynchronised: alwaysSynchronised)
    }

    private func writeBoot(to json: inout JSONWriter) {
        json.field("boot", boot.description)
        json.field("uptime_ms", uptime.milliseconds)
    }

    private func writeTime(to json: inout JSONWriter, alwaysSynchronised: Bool) {
        json.field("at", at)
        if alwaysSynchronised || !isClockSynchronised { json.field("clock_synchronised", isClockSynchronised) }
    }

    init(reading fields: inout Fields) throws(PayloadRefusal) {
        at = try fields.time("at")
        boot = try fields.boot("boot")
        uptime = try fields.uptime()
        isClockSynchronised = try fields.optionalBool("clock_synchronised") ?? true
    }
}
