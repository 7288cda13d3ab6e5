import Beacons

/// The text format: the gateways' ids in the first line, then one line per sample. A sample has its milliseconds and the RSSI values in
/// tenths of a dBm: empty for a gateway that did not receive the item, `x` for one that did not scan.
///
/// ```
/// kitchen,hall
/// 12000,-612,-745
/// 12300,-610,
/// ```
extension RSSIHistory {
    /// The history as text, for a file.
    package var text: String {
        var text = gateways.joined(separator: ",") + "\n"
        for sample in samples {
            text += "\(sample.at.milliseconds)"
            for rssi in sample.rssiValues {
                text += rssi.isNaN ? "," : rssi.isFinite ? ",\(Int((rssi * 10).rounded()))" : ",x"
            }
            text += "\n"
        }
        return text
    }

    /// Reads the text format. Damaged lines and lines out of order are skipped, and so are the oldest lines beyond the limit.
    package init(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let gateways = lines.first.map { $0.split(separator: ",").map(String.init) } ?? []
        self.init(gateways: gateways)
        for line in lines.dropFirst().suffix(Self.limit) {
            guard let sample = Self.sample(line, gateways: gateways.count) else { continue }
            if let last = samples.last, sample.at <= last.at { continue }
            samples.append(sample)
        }
    }

    private static func sample(_ line: Substring, gateways: Int) -> Sample? {
        let fields = line.split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count == gateways + 1, let first = fields.first, let milliseconds = Int64(first),
            (-CommaSeparated.furthest...CommaSeparated.furthest).contains(milliseconds)
        else { return nil }
        var rssiValues: [Float] = []
        for field in fields.dropFirst() {
            guard !field.isEmpty, field != "x" else {
                rssiValues.append(field.isEmpty ? .nan : .infinity)
                continue
            }
            guard let tenths = Int(field), (-2000...500).contains(tenths) else { return nil }
            rssiValues.append(Float(tenths) / 10)
        }
        return Sample(at: Instant(milliseconds: milliseconds), rssiValues: rssiValues)
    }
}
