import Beacons

/// The counters since the last telemetry.
struct TelemetryMeter: Sendable {
    struct Readings: Sendable {
        var processorTime: Interval
        var residentBytes: Int
        /// The reports that the radio's own decoder refused.
        var radio: ScanCounters
        /// Events that wait for the broker.
        var outbox: Int
        var reconnects: UInt64
    }

    /// Reports that were lost in the kernel since the start.
    var lostInKernel: UInt64 = 0
    private var since: Instant
    private var adverts: UInt64 = 0
    private var processorTime = Interval.zero

    init(at start: Instant) {
        since = start
    }

    /// Returns the advertisements per second, and the percentage of one processor, since the last call.
    mutating func rates(adverts total: UInt64, processorTime used: Interval, at now: Instant) -> (
        advertsPerSecond: Double, processorPercent: Double
    ) {
        let seconds = max(0.001, (now - since).seconds)
        defer { (since, adverts, processorTime) = (now, total, used) }
        return (Double(total - adverts) / seconds, (used - processorTime).seconds / seconds * 100)
    }
}
