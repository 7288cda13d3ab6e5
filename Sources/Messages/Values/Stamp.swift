import Beacons

/// The time of something, on two clocks of its publisher: the wall clock for people, the monotonic clock for
/// calculations.
public struct Stamp: Hashable, Sendable {
    /// The time on the publisher's wall clock.
    public var at: WallTime
    /// The run id of the process whose clock `uptime` uses.
    public var boot: Boot
    /// The time on the publisher's monotonic clock since the start of the process, sent in whole milliseconds.
    public var uptime: Instant
    /// Whether the wall clock was synchronised.
    public var isClockSynchronised: Bool

    /// Creates a stamp from all its properties.
    public init(at: WallTime, boot: Boot, uptime: Instant, isClockSynchronised: Bool = true) {
        self.at = at
        self.boot = boot
        self.uptime = uptime
        self.isClockSynchronised = isClockSynchronised
    }

    /// Corrects a time that comes from an unsynchronised clock; returns the correction.
    mutating func date(from origin: WallTime) -> Interval {
        guard !isClockSynchronised else { return .zero }
        let right = origin + (uptime - .zero)
        defer { (at, isClockSynchronised) = (right, true) }
        return right - at
    }

    /// Writes `at`, `boot`, `uptime_ms`: the order in states.
    func writeTimeFirst(to json: inout JSONWriter) {
        writeTime(to: &json, alwaysSynchronised: false)
        writeBoot(to: &json)
    }

    /// Writes `boot`, `uptime_ms`, `at`: the order in events and in `info`. A gateway's `info` always contains
    /// `clock_synchronised`.
    func writeBootFirst(to json: inout JSONWriter, alwaysSynchronised: Bool = false) {
        writeBoot(to: &json)
        writeTime(to: &json, alwaysSynchronised: alwaysSynchronised)
    }

    private func writeBoot(to json: inout JSONWriter) {
        json.field("boot", boot)
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

    /// Reads a stamp in the form of `writeTimeFirst`; `nil` for any other form.
    init?(timeFirst json: inout WrittenReader) {
        guard json.key("at"), let at = json.time() else { return nil }
        var isClockSynchronised = true
        if json.key("clock_synchronised") {
            isClockSynchronised = json.accept("true")
            guard isClockSynchronised || json.accept("false") else { return nil }
        }
        guard json.key("boot"), let boot = json.boot(),
            json.key("uptime_ms"), let uptime = json.integer(in: 0...Int64(Fields.uptimes.upperBound))
        else { return nil }
        self.init(
            at: at, boot: boot, uptime: Instant(milliseconds: uptime), isClockSynchronised: isClockSynchronised)
    }
}
