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

    /// The median of the values not older than `span`, of all senders or of one; `nil` without any.
    func median(of sender: Int?, within span: Interval, at now: Instant) -> Double? {
        // Both ends are whole milliseconds: a sample at the very beginning may seem 1 ms older.
        let (end, length) = (Self.stamp(now), Int32(clamping: max(0, span.milliseconds) + 1))
        var values = InlineArray<64, Int8>(repeating: 0)
        var sorted = values.mutableSpan
        var count = 0
        var place = next
        for _ in 0..<filled {
            place = place == 0 ? samples.count - 1 : place - 1
            let sample = samples[place]
            guard Int32(bitPattern: end &- sample.at) <= length else { break }
            guard sender == nil || sender == Int(sample.sender) else { continue }
            var here = count
            while here > 0, sorted[here - 1] > sample.rssi {
                sorted[here] = sorted[here - 1]
                here -= 1
            }
            sorted[here] = sample.rssi
            count += 1
        }
        guard count > 0 else { return nil }
        return (Double(sorted[(count - 1) / 2]) + Double(sorted[count / 2])) / 2
    }

    private static func stamp(_ instant: Instant) -> UInt32 { UInt32(truncatingIfNeeded: instant.milliseconds) }
}
