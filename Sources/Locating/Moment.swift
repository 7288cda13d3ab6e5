import Beacons

/// How an item sounded at one moment of the past.
struct Moment: Sendable {
    /// Samples per window at most: the filter runs backwards over a window, and keeps it whole.
    private static let longest = 400
    /// Seconds: a longer pause begins a new window.
    private static let pause = 10.0

    /// Seconds for which a gateway's last level stands for what it did not receive: a lost packet is no sign of distance, and a tag that sends
    /// every 10 s loses one now and then.
    private static let held = 20.0

    /// dBm by gateway; NaN for one that did not hear, until something else stands for that; infinite for one that did not listen.
    var levels: [Double]
    /// The same for the filter.
    var hearing: Hearing
    /// How much listening it stands for, at most a second.
    var seconds: Double

    /// A history cut into windows of a few minutes without a pause, its gateways in the order of the site's.
    static func windows(of history: LevelHistory, frame: SiteFrame) -> [[Moment]] {
        let columns = frame.gateways.map { history.gateways.firstIndex(of: $0.id) }
        var windows: [[Moment]] = []
        var last: Instant?
        var received = columns.map { _ in (level: Double.nan, at: Instant(nanoseconds: .min / 4)) }
        for sample in history.samples {
            let elapsed = last.map { (sample.at - $0).seconds } ?? LevelHistory.step
            last = sample.at
            var levels = columns.map { $0.map { Double(sample.levels[$0]) } ?? .infinity }
            for column in levels.indices {
                if levels[column].isFinite {
                    received[column] = (levels[column], sample.at)
                } else if levels[column].isNaN, (sample.at - received[column].at).seconds < held {
                    levels[column] = received[column].level
                }
            }
            let heard = levels.indices.filter { levels[$0].isFinite }.map { (gateway: $0, level: levels[$0]) }
            guard !heard.isEmpty else { continue }
            var hearing = Hearing(heard: heard)
            hearing.attended = frame.attended(by: levels.map { !$0.isInfinite })
            let moment = Moment(levels: levels, hearing: hearing, seconds: min(max(elapsed, 0), 1))
            if windows.isEmpty || elapsed > pause || windows[windows.count - 1].count >= longest { windows.append([]) }
            windows[windows.count - 1].append(moment)
        }
        return windows
    }

    /// dBm: the mean over all moments and all gateways that listened.
    static func mean(of moments: [Moment]) -> Double {
        var sum = 0.0
        var count = 0
        for moment in moments {
            for level in moment.levels where level.isFinite {
                sum += level
                count += 1
            }
        }
        return sum / Double(max(count, 1))
    }
}
