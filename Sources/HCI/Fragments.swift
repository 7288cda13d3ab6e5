import Beacons

/// The long advertisements of which a part has come: at most four at a time, the oldest of which is dropped for a fifth.
///
/// Beacons fit into one report. But a long advertisement may well carry a beacon's frame after its first part, and its parts taken for
/// advertisements would be counted several times and be cut in the middle of AD structures.
@usableFromInline
struct Fragments: Sendable {
    private struct Chain {
        var address: DeviceAddress
        var set: UInt8
        var at: Instant
        var bytes: [UInt8] = []
        var isTooLong = false

        mutating func append(_ data: RawSpan, at now: Instant) {
            at = now
            isTooLong = isTooLong || bytes.count + data.byteCount > mostBytes
            if !isTooLong { data.withUnsafeBytes { bytes.append(contentsOf: $0) } }
        }
    }

    /// Controllers put one advertisement together at a time, or two; four is generous.
    private static let mostChains = 4
    /// No advertisement is longer (Core 5.4, Vol 4, E 7.8.57).
    private static let mostBytes = 1650
    /// The next part is at most 2.46 s behind (Vol 6, B 2.3.4.5: 13 bits of 300 µs). Later than that its report was lost on the way here.
    private static let patience = Interval.milliseconds(3000)

    private var chains: [Chain] = []

    @usableFromInline init() {}

    @usableFromInline var isEmpty: Bool { chains.isEmpty }

    /// Takes one report's part, and hears the advertisement that it completes: strength and instant are those of its last part. One that
    /// was cut is heard as far as it came.
    @usableFromInline
    mutating func take(
        _ data: RawSpan, of advertisement: Advertisement, set: UInt8, _ status: DataStatus, refused: inout ScanCounters,
        _ hear: (Advertisement, RawSpan) -> Void
    ) {
        chains.removeAll { chain in
            let isLate = advertisement.at - chain.at > Self.patience
            if isLate { refused.count(.incomplete) }
            return isLate
        }
        let index = chains.firstIndex { $0.address == advertisement.address && $0.set == set }
        guard let index = index ?? (status == .moreFollows ? begin(advertisement, set, &refused) : nil) else {
            return hear(advertisement, data)
        }
        chains[index].append(data, at: advertisement.at)
        guard status != .moreFollows else { return }
        let chain = chains.remove(at: index)
        if chain.isTooLong { refused.count(.incomplete) } else { hear(advertisement, chain.bytes.span.bytes) }
    }

    private mutating func begin(_ first: Advertisement, _ set: UInt8, _ refused: inout ScanCounters) -> Int {
        if chains.count == Self.mostChains {
            chains.removeFirst()
            refused.count(.incomplete)
        }
        chains.append(Chain(address: first.address, set: set, at: first.at))
        return chains.count - 1
    }
}
