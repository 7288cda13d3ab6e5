import Beacons

/// The newest 64 RSSI values of one beacon; of more, the oldest is dropped.
struct SampleRing: Sendable {
    private struct Sample: Sendable {
        /// Milliseconds; they wrap after 49 days, and only their differences count.
        var at: UInt32
        var rssi: Int8
        /// The place of who sent it in the ``AddressSet``.
        var sender: UInt8
    }

    private var samples = InlineArray<64, Sample>(repeating: Sample(at: 0, rssi: 0, sender: 0))
    private var next = 0
    private var filled = 0

    mutating func append(_ rssi: RSSI, from sender: Int, at now: Instant) {
        samples[next] = Sample(at: Self.stamp(now), rssi: rssi.dBm, sender: UInt8(truncatingIfNeeded: sender))
        next = (next + 1) % samples.count
        filled = min(filled + 1, samples.count)
    }

    mutating func removeAll() { filled = 0 }

    /// The median of the values not older than `span`, of all senders or of one; `nil` without any.
    func median(of sender: Int?, within span: Interval, at now: Instant) -> Double? {
        var counts = InlineArray<256, UInt8>(repeating: 0)
        var total = 0
        let (end, length) = (Self.stamp(now), UInt32(clamping: max(0, span.milliseconds)))
        for age in 0..<filled {
            let sample = samples[(next - 1 - age + samples.count) % samples.count]
            guard Int32(bitPattern: end &- sample.at) <= Int32(clamping: length) else { break }
            guard sender == nil || sender == Int(sample.sender) else { continue }
            counts[Int(sample.rssi) + 128] += 1
            total += 1
        }
        guard total > 0 else { return nil }
        return (value(ranked: (total - 1) / 2, in: counts) + value(ranked: total / 2, in: counts)) / 2
    }

    private func value(ranked rank: Int, in counts: InlineArray<256, UInt8>) -> Double {
        var seen = 0
        for value in counts.indices {
            seen += Int(counts[value])
            if seen > rank { return Double(value - 128) }
        }
        return 0
    }

    private static func stamp(_ instant: Instant) -> UInt32 { UInt32(truncatingIfNeeded: instant.milliseconds) }
}
