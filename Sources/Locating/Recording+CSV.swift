extension Recording {
    /// Reads `t_ms,gateway,beacon,rssi`, one sighting per line; a heading, further columns, CRLF and empty lines are allowed.
    ///
    /// RSSI 127 («not available») and what else is outside -127 to 20 dBm is a sighting without a level: the row is left out.
    public init(csv: String) throws(MalformedRow) {
        var rows: [Row] = []
        for (line, fields) in CommaSeparated(csv) {
            if line == 1, fields[0] == "t_ms" { continue }
            guard fields.count >= 4 else {
                throw MalformedRow(
                    line: line, reason: "it has \(fields.count) of the 4 fields t_ms,gateway,beacon,rssi")
            }
            let milliseconds = try CommaSeparated.milliseconds(fields[0], line: line)
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

extension Truth {
    /// Reads `t_ms,beacon,zone`, one row per line; a heading, further columns, CRLF and empty lines are allowed.
    public init(csv: String) throws(MalformedRow) {
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
