import Locating

/// The rule to beat: the gateway with the highest mean of the last 5 s, and another only once it is 5 dB above.
enum Strongest {
    static func rows(_ site: Site, _ walk: Walk) -> [Replay.Row] {
        let owners = Dictionary(uniqueKeysWithValues: site.gateways.map { ($0.id, $0.room) })
        var heard: [String: [(at: Int64, rssi: Double)]] = [:]
        var next = 0
        var current: String?
        var rows: [Replay.Row] = []
        Replay(model: LocatorModel(site: site)).run(walk.recording) { row in
            while next < walk.recording.rows.count, walk.recording.rows[next].milliseconds <= row.milliseconds {
                let sighting = walk.recording.rows[next]
                heard[sighting.gateway, default: []].append((sighting.milliseconds, sighting.rssi))
                next += 1
            }
            var means: [String: Double] = [:]
            for gateway in heard.keys {
                heard[gateway]!.removeAll { $0.at <= row.milliseconds - 5000 }
                let last = heard[gateway]!
                if !last.isEmpty { means[gateway] = last.reduce(0) { $0 + $1.rssi } / Double(last.count) }
            }
            let best = means.max { ($0.value, $1.key) < ($1.value, $0.key) }
            if let best, current.flatMap({ means[$0] }).map({ best.value > $0 + 5 }) ?? true { current = best.key }
            var said = row
            said.room = current.flatMap { owners[$0] ?? nil }
            said.confidence = said.room == nil ? 0 : 1
            rows.append(said)
        }
        return rows
    }
}
