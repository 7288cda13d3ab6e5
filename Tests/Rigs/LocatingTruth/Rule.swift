import Locating

/// What others do: the gateway with the highest RSSI, after some smoothing, and another only once it is some dB above.
struct Rule: Sendable {
    /// The words of the table.
    let name: String
    /// The RSSI that counts for a gateway with these sightings, the newest last; only what is not older than `span`.
    let smoothed: @Sendable ([(at: Int64, rssi: Double)]) -> Double
    /// Milliseconds.
    let span: Int64
    /// dB.
    let hysteresis: Double

    /// Restated from what is known of each; their own code was not run.
    static let all: [Rule] = [
        Rule(name: "strongest, mean of 5 s, 5 dB", smoothed: mean, span: 5000, hysteresis: 5),
        Rule(name: "as room-assistant: Kalman, at once", smoothed: kalman, span: 60_000, hysteresis: 0),
        Rule(name: "as ESPresense: middle of 15 s, at once", smoothed: middle, span: 15_000, hysteresis: 0),
        Rule(name: "as Bermuda: near-biased 20, 3 dB", smoothed: nearBiased, span: 60_000, hysteresis: 3),
        Rule(name: "as Home Assistant: EWMA, 16 dB", smoothed: moving, span: 60_000, hysteresis: 16),
    ]

    /// What the rule reports of a walk, at the moments of a replay.
    func rows(_ site: Site, _ walk: Walk) -> [Replay.Row] {
        let owners = Dictionary(uniqueKeysWithValues: site.gateways.map { ($0.id, $0.room) })
        var received: [String: [(at: Int64, rssi: Double)]] = [:]
        var next = 0
        var current: String?
        var rows: [Replay.Row] = []
        Replay(model: LocatorModel(site: site)).run(walk.recording) { row in
            while next < walk.recording.rows.count, walk.recording.rows[next].milliseconds <= row.milliseconds {
                let sighting = walk.recording.rows[next]
                received[sighting.gateway, default: []].append((sighting.milliseconds, sighting.rssi))
                next += 1
            }
            var levels: [String: Double] = [:]
            for gateway in received.keys {
                received[gateway]!.removeAll { $0.at <= row.milliseconds - span }
                if !received[gateway]!.isEmpty { levels[gateway] = smoothed(received[gateway]!) }
            }
            let best = levels.max { ($0.value, $1.key) < ($1.value, $0.key) }
            let remaining = current.flatMap { levels[$0] }
            if let best, remaining.map({ best.value > $0 + hysteresis }) ?? true { current = best.key }
            var reported = row
            reported.room = current.flatMap { owners[$0] ?? nil }
            reported.confidence = reported.room == nil ? 0 : 1
            // These rules have no events.
            reported.isMove = false
            rows.append(reported)
        }
        return rows
    }

    private static func mean(_ received: [(at: Int64, rssi: Double)]) -> Double {
        received.reduce(0) { $0 + $1.rssi } / Double(received.count)
    }

    private static func kalman(_ received: [(at: Int64, rssi: Double)]) -> Double {
        var (level, variance) = (received[0].rssi, 4.0)
        for sighting in received.dropFirst() {
            let gain = (variance + 0.008) / (variance + 0.008 + 4)
            level += gain * (sighting.rssi - level)
            variance = (1 - gain) * (variance + 0.008)
        }
        return level
    }

    private static func middle(_ received: [(at: Int64, rssi: Double)]) -> Double {
        let sorted = received.map(\.rssi).sorted()
        let cut = sorted.count / 4
        let remaining = sorted[cut..<max(cut + 1, sorted.count - cut)]
        return remaining.reduce(0, +) / Double(remaining.count)
    }

    private static func nearBiased(_ received: [(at: Int64, rssi: Double)]) -> Double {
        // The running maximum of the last twenty, averaged: a distance may fall at once and rises slowly.
        var strongest = -Double.infinity
        var sum = 0.0
        let last = received.suffix(20)
        for sighting in last.reversed() {
            strongest = max(strongest, sighting.rssi)
            sum += strongest
        }
        return sum / Double(last.count)
    }

    private static func moving(_ received: [(at: Int64, rssi: Double)]) -> Double {
        received.dropFirst().reduce(received[0].rssi) { 0.8 * $0 + 0.2 * $1.rssi }
    }
}
