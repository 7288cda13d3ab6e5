import Beacons

/// One sample of an item's RSSI history, as learning uses it.
struct TrainingSample: Sendable {
    /// Samples per window at most: the filter runs backwards over a window, and needs the window in memory.
    private static let longest = 400
    /// Seconds: a longer pause begins a new window.
    private static let pause = 10.0

    /// Seconds for which a gateway's last RSSI replaces missing ones: a lost packet is no sign of distance, and a tag with an interval of
    /// 10 s loses one now and then.
    private static let held = 20.0

    /// dBm by gateway; NaN for a gateway that did not receive the item, until a guess replaces the NaN; infinite for one that did not scan.
    var rssiValues: [Double]
    /// The same values in the form of the filter.
    var observation: Observation
    /// Seconds that the sample stands for, at most 1.
    var seconds: Double
    /// Seconds that the sample counts in the corrections of a plan. The longer an item is still, the less its samples count, as they repeat the
    /// error of one place.
    var weight: Double

    /// Cuts a history into windows of a few minutes without a pause. The gateways are in the order of the site's.
    ///
    /// - Parameter countsRest: Whether the samples of a still item have their full weight.
    static func windows(of history: RSSIHistory, frame: SiteFrame, countsRest: Bool = false) -> [[TrainingSample]] {
        let columns = frame.gateways.map { history.gateways.firstIndex(of: $0.id) }
        var windows: [[TrainingSample]] = []
        var last: Instant?
        var stillness = Stillness()
        var received = columns.map { _ in (rssi: Double.nan, at: Instant(nanoseconds: .min / 4)) }
        for sample in history.samples {
            let elapsed = last.map { (sample.at - $0).seconds } ?? RSSIHistory.step
            last = sample.at
            var rssiValues = columns.map { $0.map { Double(sample.rssiValues[$0]) } ?? .infinity }
            for column in rssiValues.indices {
                if rssiValues[column].isFinite {
                    received[column] = (rssiValues[column], sample.at)
                    stillness.add(rssiValues[column], of: 1, gateway: column, at: sample.at)
                } else if rssiValues[column].isNaN, (sample.at - received[column].at).seconds < held {
                    rssiValues[column] = received[column].rssi
                }
            }
            let current = rssiValues.indices.filter { rssiValues[$0].isFinite }.map {
                (gateway: $0, rssi: rssiValues[$0])
            }
            guard !current.isEmpty else { continue }
            var observation = Observation(received: current)
            observation.scannedRooms = frame.scannedRooms { !rssiValues[$0].isInfinite }
            let seconds = min(max(elapsed, 0), 1)
            let moment = TrainingSample(
                rssiValues: rssiValues, observation: observation, seconds: seconds,
                weight: countsRest ? seconds : seconds * stillness.pace(at: sample.at))
            if windows.isEmpty || elapsed > pause || windows[windows.count - 1].count >= longest { windows.append([]) }
            windows[windows.count - 1].append(moment)
        }
        return windows
    }

    /// dBm: the mean over all samples and all gateways that scanned.
    static func mean(of moments: [TrainingSample]) -> Double {
        let rssiValues = moments.lazy.flatMap(\.rssiValues).filter(\.isFinite)
        return rssiValues.reduce(0, +) / Double(max(rssiValues.count, 1))
    }
}
