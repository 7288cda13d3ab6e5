import Beacons

/// Labelled minutes: the RSSI history of an item that somebody carried around a room.
package struct Survey: Hashable, Sendable {
    package var room: String
    package var history: RSSIHistory

    package init(room: String, history: RSSIHistory) {
        self.room = room
        self.history = history
    }

    /// How often a gateway of another room received the item best while it was carried around the surveyed room.
    package struct Elsewhere: Hashable, Sendable {
        package var room: String
        /// The length of the survey.
        package var seconds: Double
        /// The share of the survey's time, 0 to 1.
        package var share: Double
        /// The room of whose gateway that was most often; `nil` if it never was.
        package var other: String?

        package init(room: String, seconds: Double, share: Double, other: String?) {
            self.room = room
            self.seconds = seconds
            self.share = share
            self.other = other
        }
    }

    /// Seconds over which the RSSI values are averaged.
    private static let window = 5.0

    /// How often a gateway of another room received the item best; `nil` if no gateway of the surveyed room scanned.
    package func elsewhere(site: Site) -> Elsewhere? {
        let served = Dictionary(site.gateways.map { ($0.id, $0.rooms) }) { first, _ in first }
        let rooms = history.gateways.map { served[$0] ?? [] }
        var sums = rooms.map { _ in (sum: 0.0, count: 0) }
        var scanned = false
        var oldest = 0
        var counts: [String: Int] = [:]
        var total = 0
        for sample in history.samples {
            func add(_ rssiValues: [Float], _ sign: Int) {
                for (gateway, value) in rssiValues.enumerated() where value.isFinite {
                    sums[gateway].sum += Double(sign) * Double(value)
                    sums[gateway].count += sign
                }
            }
            add(sample.rssiValues, 1)
            while (sample.at - history.samples[oldest].at).seconds > Self.window {
                add(history.samples[oldest].rssiValues, -1)
                oldest += 1
            }
            scanned = scanned || zip(rooms, sample.rssiValues).contains { $0.contains(room) && $1 != .infinity }
            let best = sums.indices.filter { sums[$0].count > 0 && !rooms[$0].isEmpty }
                .max { sums[$0].sum / Double(sums[$0].count) < sums[$1].sum / Double(sums[$1].count) }
            guard let best else { continue }
            total += 1
            if !rooms[best].contains(room) { counts[rooms[best][0], default: 0] += 1 }
        }
        guard scanned, total > 0 else { return nil }
        let other = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        let share = Double(counts.values.reduce(0, +)) / Double(total)
        return Elsewhere(room: room, seconds: history.seconds, share: share, other: other)
    }
}

extension [Survey.Elsewhere] {
    /// All surveys of one room as one; `nil` if there is none.
    var combined: Survey.Elsewhere? {
        guard let longest = self.max(by: { $0.seconds < $1.seconds }) else { return nil }
        let seconds = reduce(0) { $0 + $1.seconds }
        let share = reduce(0) { $0 + $1.share * $1.seconds } / Swift.max(seconds, 1e-9)
        return Survey.Elsewhere(room: longest.room, seconds: seconds, share: share, other: longest.other)
    }
}
