import Beacons

/// The RSSI values of one item at all gateways over time, about three samples a second at most.
///
/// Bounded: beyond `limit` samples the older half loses every second run of samples. So the history reaches far back, with ever longer
/// gaps.
package struct RSSIHistory: Hashable, Sendable {
    struct Sample: Hashable, Sendable {
        /// When the values were smoothed.
        var at: Instant
        /// dBm by gateway, in the order of `gateways`, with the receiver offsets; NaN for a gateway that did not receive the item, infinite for
        /// one that did not scan.
        var rssiValues: [Float]
    }

    /// The gateways' ids, in the order of each sample's values.
    package private(set) var gateways: [String]
    /// dB: the receiver offset that the values of each gateway contain; `nil` if it is not known, as in files of earlier versions: the present one.
    private var offsets: [Float?]
    /// Samples at most: an hour and a half in full, and days with gaps.
    package static let limit = 18_000
    /// Seconds between two samples at least.
    static let step = 0.3
    /// Samples that are dropped together: learning needs consecutive samples.
    private static let run = 50

    var samples: [Sample] = []

    package init(gateways: [String]) {
        self.gateways = gateways
        offsets = gateways.map { _ in nil }
    }

    package var count: Int { samples.count }

    /// The seconds that the history covers; a gap counts as 1 s.
    package var seconds: Double {
        zip(samples, samples.dropFirst()).reduce(0) { $0 + min(1, ($1.1.at - $1.0.at).seconds) }
    }

    package var receivedBy: Int {
        gateways.indices.count { gateway in samples.contains { $0.rssiValues[gateway].isFinite } }
    }

    /// Adds the RSSI values of a locator with the same gateways, unless the last sample is too recent.
    package mutating func append(_ locator: Locator, at now: Instant) {
        guard begins(with: locator.model.gateways) else { return }
        follow(offsetsOf: locator.model)
        if let last = samples.last, (now - last.at).seconds < Self.step - 1e-6 { return }
        let rssiValues = locator.rssiValues(at: now)
        guard rssiValues.contains(where: \.isFinite) else { return }
        append(Sample(at: now, rssiValues: rssiValues))
    }

    mutating func append(_ sample: Sample) {
        if samples.count >= Self.limit { thin() }
        var sample = sample
        sample.rssiValues += repeatElement(.infinity, count: max(0, gateways.count - sample.rssiValues.count))
        samples.append(sample)
    }

    /// Drops every second run of samples of the older half; with too few samples for that, drops the older half.
    mutating func thin() {
        guard samples.count >= 4 * Self.run else { return samples.removeFirst((samples.count + 1) / 2) }
        let older = samples.count / 2
        samples = samples.enumerated().filter { $0.offset >= older || $0.offset / Self.run % 2 == 0 }.map(\.element)
    }

    /// Whether the first gateways are these.
    func begins(with others: [String]) -> Bool { gateways == others || gateways.starts(with: others) }

    /// Puts these gateways first, in this order: new ones have no values in former samples. All others keep theirs, and have none in later samples:
    /// after a restart, a gateway may be there late.
    package mutating func follow(_ newer: [String]) {
        guard !begins(with: newer) else { return }
        let known = Set(newer)
        setGateways(newer + gateways.filter { !known.contains($0) })
    }

    /// Has the values contain the receiver offsets of a model: a gateway that was corrected receives as before.
    package mutating func follow(offsetsOf model: LocatorModel) {
        var shifts: [(column: Int, shift: Float)] = []
        for (column, id) in gateways.enumerated() {
            let isThere = column < model.gateways.count && model.gateways[column] == id
            guard let index = isThere ? column : model.index(ofGateway: id) else { continue }
            let (former, newer) = (offsets[column], Float(model.offsets[index]))
            // Values of earlier versions may contain a learned offset, which is not known yet after a start.
            if former == nil, newer == 0, samples.contains(where: { $0.rssiValues[column].isFinite }) { continue }
            offsets[column] = newer
            // An offset is stored in tenths.
            if let former, abs(newer - former) > 0.06 { shifts.append((column, newer - former)) }
        }
        guard !shifts.isEmpty else { return }
        for index in samples.indices {
            for (column, shift) in shifts { samples[index].rssiValues[column] += shift }
        }
    }

    /// Drops a gateway that was removed from the site, with its values.
    package mutating func remove(gateway id: String) { setGateways(gateways.filter { $0 != id }) }

    private mutating func setGateways(_ newer: [String]) {
        guard newer != gateways else { return }
        let columns = newer.map { gateways.firstIndex(of: $0) }
        for index in samples.indices {
            let rssiValues = samples[index].rssiValues
            samples[index].rssiValues = columns.map { column in column.map { rssiValues[$0] } ?? .infinity }
        }
        offsets = columns.map { column in column.flatMap { offsets[$0] } }
        gateways = newer
    }

    /// Drops the values of a gateway that was moved, as if the gateway had not scanned.
    package mutating func forget(gateway id: String) {
        guard let column = gateways.firstIndex(of: id) else { return }
        for index in samples.indices { samples[index].rssiValues[column] = .infinity }
    }

    /// Moves all samples so that the last one is at `end`: stored samples have the clock of a former process.
    mutating func move(endingAt end: Instant) {
        guard let last = samples.last else { return }
        let shift = end - last.at
        for index in samples.indices { samples[index].at = samples[index].at + shift }
    }
}

/// The text format: the gateways' ids in the first line, the receiver offsets that the values contain in tenths of a dB, then one line per sample.
/// A sample has its milliseconds and the RSSI values in tenths of a dBm: empty for a gateway that did not receive the item, `x` for one that did
/// not scan. Of a gateway whose offset is empty, and in files without this line, the values contain the present one.
///
/// ```
/// kitchen,hall
/// offset,15,0
/// 12000,-612,-745
/// 12300,-610,
/// ```
extension RSSIHistory {
    private static let offsetPrefix = "offset,"

    /// Whether the text has a line with receiver offsets.
    var hasOffsets: Bool { offsets.contains { $0 != nil } }

    /// The history as text, for a file.
    package var text: String {
        var text = gateways.joined(separator: ",") + "\n"
        if hasOffsets {
            let fields = offsets.map { $0.map { "\(Int(max(-500, min(500, ($0 * 10).rounded()))))" } ?? "" }
            text += Self.offsetPrefix + fields.joined(separator: ",") + "\n"
        }
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
        if lines.count > 1, lines[1].hasPrefix(Self.offsetPrefix) {
            let fields = lines[1].split(separator: ",", omittingEmptySubsequences: false).dropFirst()
            if fields.count == gateways.count {
                offsets = fields.map { Int($0).flatMap { (-500...500).contains($0) ? Float($0) / 10 : nil } }
            }
        }
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
