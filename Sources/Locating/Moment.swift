import Beacons

/// How an item sounded at one moment of the past.
struct Moment: Sendable {
    /// Samples per window at most: the filter runs backwards over a window, and keeps it whole.
    private static let longest = 400
    /// Seconds: a longer pause begins a new window.
    private static let pause = 10.0

    /// dBm by gateway; NaN for one that did not hear, until something else stands for that.
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
        for sample in history.samples {
            let elapsed = last.map { (sample.at - $0).seconds } ?? LevelHistory.step
            last = sample.at
            let levels = columns.map { $0.map { Double(sample.levels[$0]) } ?? .nan }
            let heard = levels.indices.filter { !levels[$0].isNaN }.map { (gateway: $0, level: levels[$0]) }
            let moment = Moment(levels: levels, hearing: Hearing(heard: heard), seconds: min(max(elapsed, 0), 1))
            if windows.isEmpty || elapsed > pause || windows[windows.count - 1].count >= longest { windows.append([]) }
            windows[windows.count - 1].append(moment)
        }
        return windows
    }

    /// dBm: the mean over all moments and all of their `width` gateways.
    static func mean(of moments: [Moment], width: Int) -> Double {
        let sum = moments.reduce(0) { $0 + $1.levels.reduce(0, +) }
        return sum / Double(max(moments.count * width, 1))
    }
}
