import Beacons

/// Decides whether the silence of an item is an exit or a rest, from what gateways received of the item within the last minute.
package struct Departure: Sendable {
    private struct Report: Sendable {
        var gateway: String
        var rssi: Double
        var at: Instant
    }

    /// How long reports count.
    private static let memory = Interval.seconds(60)
    /// The oldest of more reports is dropped.
    private static let most = 64
    /// The RSSI at the end is the mean of a gateway's reports within this time of the last report.
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
    /// An exit is at least seven times as likely as a rest; or, below zero, a rest as an exit.
    private static let leastLogOdds = 2.0

    /// In order of time.
    private var reports: [Report] = []

    package init() {}

    package var lastSeen: Instant? { reports.last?.at }

    /// Adds the mean RSSI of a gateway's report in dBm, or that of the gateway's last sighting, which becomes known with the exit there.
    package mutating func receive(_ rssi: Double, at gateway: String, at time: Instant) {
        let place = reports.lastIndex { $0.at <= time }.map { $0 + 1 } ?? 0
        reports.insert(Report(gateway: gateway, rssi: rssi, at: time), at: place)
        let newest = reports[reports.count - 1].at
        reports.removeAll { newest - $0.at > Self.memory }
        if reports.count > Self.most { reports.removeFirst(reports.count - Self.most) }
    }

    /// Forgets what was received: the item is resting, or left.
    package mutating func forget() { reports.removeAll() }

    /// Whether the item left, and is not at rest, if it is silent from now on. Where nothing was received, it is at rest.
    package var isLikely: Bool { logOdds > Self.leastLogOdds }

    /// Whether the item is still where it was received last, if it is silent from now on. Where nothing was received, nobody knows.
    package var isUnlikely: Bool { !reports.isEmpty && logOdds < -Self.leastLogOdds }

    /// The logarithm of the odds that the item left, and is not at rest, if it is silent from now on.
    package var logOdds: Double {
        guard let end = reports.last?.at else { return -.infinity }
        var former: [String: Double] = [:]
        var sums: [String: (sum: Double, count: Double, last: Instant)] = [:]
        // A single report may be an outlier, so the best RSSI is the mean of two reports in a row.
        var best = -200.0
        for report in reports {
            if let before = former.updateValue(report.rssi, forKey: report.gateway) {
                best = max(best, (before + report.rssi) / 2)
            }
            var sum = sums[report.gateway] ?? (0, 0, report.at)
            if end - report.at <= Self.end { (sum.sum, sum.count) = (sum.sum + report.rssi, sum.count + 1) }
            sum.last = report.at
            sums[report.gateway] = sum
        }
        let rssi = sums.values.filter { $0.count > 0 }.map { $0.sum / $0.count }.max() ?? 0
        let early = sums.values.count { end - $0.last > Self.early }
        let fade = min(25, max(0, best - rssi))
        return Self.base + Self.perFadedDB * fade + Self.perEndDBm * min(-60, max(-95, rssi))
            + Self.perEarlyGateway * Double(min(3, early)) + Self.perGatewayAtEnd * Double(min(3, sums.count - early))
    }
}
