import Beacons

/// Kept as text: the gateways' ids in the first line, then one sample per line, its milliseconds and the levels in tenths of a dB, empty
/// for a gateway that did not hear, `x` for one that did not listen.
///
/// ```
/// kitchen,hall
/// 12000,-612,-745
/// 12300,-610,
/// ```
extension LevelHistory {
    /// The history as text, for a file.
    public var text: String {
        var text = gateways.joined(separator: ",") + "\n"
        for sample in samples {
            text += "\(sample.at.milliseconds)"
            for level in sample.levels {
                text += level.isNaN ? "," : level.isFinite ? ",\(Int((level * 10).rounded()))" : ",x"
            }
            text += "\n"
        }
        return text
    }

    /// Reads such a text. Lines that are damaged or out of order are left out, and of too many the oldest: what is left can be learned from.
    public init(text: String) {
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
        var levels: [Float] = []
        for field in fields.dropFirst() {
            guard !field.isEmpty, field != "x" else {
                levels.append(field.isEmpty ? .nan : .infinity)
                continue
            }
            guard let tenths = Int(field), (-2000...500).contains(tenths) else { return nil }
            levels.append(Float(tenths) / 10)
        }
        return Sample(at: Instant(milliseconds: milliseconds), levels: levels)
    }
}
