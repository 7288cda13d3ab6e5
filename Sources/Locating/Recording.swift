import Beacons

/// The sightings that the gateways of a site received over some time, in order of time.
package struct Recording: Hashable, Sendable {
    /// One sighting: one beacon received once by one gateway.
    package struct Row: Hashable, Sendable {
        /// When, in milliseconds on the recording's own clock.
        package var milliseconds: Int64
        package var gateway: String
        /// The item's id, or any name of the beacon.
        package var beacon: String
        /// dBm.
        package var rssi: Double

        package init(milliseconds: Int64, gateway: String, beacon: String, rssi: Double) {
            self.milliseconds = milliseconds
            self.gateway = gateway
            self.beacon = beacon
            self.rssi = rssi
        }
    }

    /// The sightings; of one moment, in the order of the file.
    package let rows: [Row]

    /// The sightings in order of time, whatever order they come in.
    package init(rows: [Row]) {
        self.rows = rows.enumerated()
            .sorted { ($0.element.milliseconds, $0.offset) < ($1.element.milliseconds, $1.offset) }
            .map(\.element)
    }

    /// The received beacons, in order of their names.
    package var beacons: [String] { Set(rows.map(\.beacon)).sorted() }

    // MARK: CSV

    /// Reads `t_ms,gateway,beacon,rssi`, one sighting per line; a heading, further columns, CRLF and empty lines are allowed.
    ///
    /// A recording spans `longest` at most. Otherwise one wrong time would make a replay last thousands of years. A row is skipped if its
    /// RSSI is 127 ("not available") or otherwise outside -127 to 20 dBm.
    package init(csv: String) throws(MalformedRow) {
        var rows: [Row] = []
        var span = RecordedSpan()
        for (line, fields) in CommaSeparated(csv) {
            if line == 1, fields[0] == "t_ms" { continue }
            guard fields.count >= 4 else {
                throw MalformedRow(
                    line: line, reason: "it has \(fields.count) of the 4 fields t_ms,gateway,beacon,rssi")
            }
            let milliseconds = try CommaSeparated.milliseconds(fields[0], line: line)
            try span.add(milliseconds, line: line)
            guard !fields[1].isEmpty, !fields[2].isEmpty else {
                throw MalformedRow(line: line, reason: "the gateway or the beacon is empty")
            }
            guard let rssi = Double(fields[3]), rssi.isFinite else {
                throw MalformedRow(line: line, reason: "rssi is '\(fields[3])', and should be a number of dBm")
            }
            guard (-127...20).contains(rssi) else { continue }
            rows.append(
                Row(milliseconds: milliseconds, gateway: String(fields[1]), beacon: String(fields[2]), rssi: rssi))
        }
        self.init(rows: rows)
    }

    // MARK: Histories

    /// The RSSI history of each beacon, for learning without labels.
    package func histories(site: Site) -> [RSSIHistory] {
        histories(model: LocatorModel(site: site)) { _, _ in "" }.flatMap { $0.values }
    }

    /// The RSSI histories, divided by the rooms in which each beacon really was.
    package func surveys(site: Site, truth: Truth) -> [Survey] {
        let rows = Dictionary(grouping: truth.rows, by: \.beacon)
        return histories(model: LocatorModel(site: site)) { beacon, milliseconds in
            rows[beacon]?.room(at: milliseconds)
        }.flatMap { rooms in rooms.keys.sorted().map { Survey(room: $0, history: rooms[$0]!) } }
    }

    /// For each beacon, its history divided by the name that `part` returns for each moment. Moments without a name are left out.
    private func histories(
        model: LocatorModel, part: (String, Int64) -> String?
    ) -> [[String: RSSIHistory]] {
        guard let begin = rows.first?.milliseconds else { return [] }
        let index = Dictionary(uniqueKeysWithValues: beacons.enumerated().map { ($1, $0) })
        var scanning = Locator(model: model)
        for gateway in model.gateways.indices { scanning.scans(gateway: gateway, since: .zero) }
        var locators = index.map { _ in scanning }
        var histories = index.map { _ in [String: RSSIHistory]() }
        for (number, row) in rows.enumerated() {
            guard let item = index[row.beacon], let gateway = model.index(ofGateway: row.gateway) else { continue }
            let now = Instant(milliseconds: row.milliseconds - begin)
            locators[item].report(gateway: gateway, rssi: row.rssi, at: now)
            // All rows of one moment are added first.
            if rows.indices.contains(number + 1), rows[number + 1].milliseconds == row.milliseconds { continue }
            guard let name = part(row.beacon, row.milliseconds) else { continue }
            histories[item][name, default: RSSIHistory(gateways: model.gateways)].append(locators[item], at: now)
        }
        return histories
    }
}

/// The time from a recording's first row to its last one, whatever order they come in.
private struct RecordedSpan {
    /// A month.
    private static let longest: Int64 = 31 * 86_400_000
    private var first: (milliseconds: Int64, line: Int)?
    private var last: (milliseconds: Int64, line: Int)?

    /// Adds a row's time. Throws if the time is too far from another row's.
    mutating func add(_ milliseconds: Int64, line: Int) throws(MalformedRow) {
        if milliseconds < first?.milliseconds ?? .max { first = (milliseconds, line) }
        if milliseconds > last?.milliseconds ?? .min { last = (milliseconds, line) }
        guard let first, let last, last.milliseconds - first.milliseconds > Self.longest else { return }
        let other = first.line == line ? last.line : first.line
        throw MalformedRow(
            line: line,
            reason: "t_ms is '\(milliseconds)', more than 31 days from line \(other): split the recording")
    }
}

extension Truth {
    /// Reads `t_ms,beacon,zone`, one row per line; a heading, further columns, CRLF and empty lines are allowed.
    package init(csv: String) throws(MalformedRow) {
        var rows: [Row] = []
        for (line, fields) in CommaSeparated(csv) {
            if line == 1, fields[0] == "t_ms" { continue }
            guard fields.count >= 3 else {
                throw MalformedRow(line: line, reason: "it has \(fields.count) of the 3 fields t_ms,beacon,zone")
            }
            let milliseconds = try CommaSeparated.milliseconds(fields[0], line: line)
            guard !fields[1].isEmpty, !fields[2].isEmpty else {
                throw MalformedRow(line: line, reason: "the beacon or the zone is empty")
            }
            rows.append(Row(milliseconds: milliseconds, beacon: String(fields[1]), room: String(fields[2])))
        }
        self.init(rows: rows)
    }
}

extension [Truth.Row] {
    /// The room of the last row up to a moment; of the first before it.
    fileprivate func room(at milliseconds: Int64) -> String? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].milliseconds <= milliseconds { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? self[low - 1].room : first?.room
    }
}
