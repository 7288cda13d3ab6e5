import Beacons

/// What gateways received of one item within a minute, to decide whether the silence that follows is an exit or a rest.
///
/// Some tags advertise only while they move. Their silence means that nobody moves them. A tag that is put down falls silent at all
/// gateways at once, with the RSSI of that place. A tag that is carried out fades: gateways stop receiving it one after the other, and the
/// last one receives it at the edge of its range.
///
/// The odds are those of a logistic regression on simulated flats (`Truth sleeps`). They ask for more than an even chance, as a false
/// `left` is worse than an exit that nobody notices: silence alone is no sign.
public struct Departure: Sendable {
    private struct Report: Sendable {
        var gateway: String
        var level: Double
        var at: Instant
    }

    /// How long reports count.
    private static let memory = Interval.seconds(60)
    /// The oldest of more reports is dropped.
    private static let most = 64
    /// The level at the end is the mean of a gateway's reports within this time of the last.
    private static let end = Interval.seconds(6)
    /// A gateway that received the item last so long before the end had lost it already.
    private static let early = Interval.seconds(8)
    // The logarithm of the odds of a departure: a constant, and what is added for each dB of fading, each dBm at the end, each gateway that
    // lost the item early, and each gateway that did not.
    private static let base = -15.2
    private static let perFadedDB = 0.11
    private static let perEndDBm = -0.18
    private static let perEarlyGateway = 0.3
    private static let perGatewayAtEnd = -0.55
    /// An exit is at least seven times as likely as a rest.
    private static let leastLogOdds = 2.0

    /// In order of time.
    private var reports: [Report] = []

    /// Nothing was received yet.
    public init() {}

    /// When the item was last received.
    public var lastSeen: Instant? { reports.last?.at }

    /// Takes the mean RSSI of a gateway's report in dBm, or that of the gateway's last sighting, which becomes known with the exit there.
    public mutating func receive(_ level: Double, at gateway: String, at time: Instant) {
        let place = reports.lastIndex { $0.at <= time }.map { $0 + 1 } ?? 0
        reports.insert(Report(gateway: gateway, level: level, at: time), at: place)
        let newest = reports[reports.count - 1].at
        reports.removeAll { newest - $0.at > Self.memory }
        if reports.count > Self.most { reports.removeFirst(reports.count - Self.most) }
    }

    /// Forgets what was received: the item is resting, or left.
    public mutating func forget() { reports.removeAll() }

    /// Whether the item left, and is not at rest, if it is silent from now on. Where nothing was received, it is at rest.
    public var isLikely: Bool {
        guard let end = reports.last?.at else { return false }
        var former: [String: Double] = [:]
        var sums: [String: (sum: Double, count: Double, last: Instant)] = [:]
        // A single report may be far off: the best level is that of two in a row.
        var best = -200.0
        for report in reports {
            if let before = former.updateValue(report.level, forKey: report.gateway) {
                best = max(best, (before + report.level) / 2)
            }
            var sum = sums[report.gateway] ?? (0, 0, report.at)
            if end - report.at <= Self.end { (sum.sum, sum.count) = (sum.sum + report.level, sum.count + 1) }
            sum.last = report.at
            sums[report.gateway] = sum
        }
        let level = sums.values.filter { $0.count > 0 }.map { $0.sum / $0.count }.max() ?? 0
        let early = sums.values.count { end - $0.last > Self.early }
        let fade = min(25, max(0, best - level))
        let logOdds =
            Self.base + Self.perFadedDB * fade + Self.perEndDBm * min(-60, max(-95, level))
            + Self.perEarlyGateway * Double(min(3, early)) + Self.perGatewayAtEnd * Double(min(3, sums.count - early))
        return logOdds > Self.leastLogOdds
    }
}
