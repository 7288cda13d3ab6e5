extension Recording {
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
}

/// The time from a recording's first row to its last one, whatever order they come in.
private struct RecordedSpan {
    /// A month: 31 days.
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
