import Beacons

/// Assembles long advertisements from their fragments, at most four at a time; a fifth replaces the oldest.
///
/// Beacons fit into one report, but a long advertisement may carry a beacon's frame behind its first fragment. Without
/// this type, fragments would be counted as advertisements and cut within AD structures.
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

    /// Controllers assemble one or two advertisements at a time, so four is generous.
    private static let mostChains = 4
    /// The length of the longest advertisement (Core 5.4, Vol 4, E 7.8.57).
    private static let mostBytes = 1650
    /// The next fragment follows within 2.46 s (Vol 6, B 2.3.4.5: 13 bits of 300 µs). After this time its report is
    /// lost.
    private static let patience = Interval.milliseconds(3000)

    private var chains: [Chain] = []

    @usableFromInline init() {}

    @usableFromInline var isEmpty: Bool { chains.isEmpty }

    /// Adds one report's fragment. If it completes an advertisement, `receive` gets the advertisement with the RSSI and
    /// instant of the last fragment. A cut advertisement is passed on with the data received so far.
    @usableFromInline
    mutating func add(
        _ data: RawSpan, of advertisement: Advertisement, set: UInt8, _ status: DataStatus, refused: inout ScanCounters,
        _ receive: (Advertisement, RawSpan) -> Void
    ) {
        chains.removeAll { chain in
            let isLate = advertisement.at - chain.at > Self.patience
            if isLate { refused.count(.incomplete) }
            return isLate
        }
        let index = chains.firstIndex { $0.address == advertisement.address && $0.set == set }
        guard let index = index ?? (status == .moreFollows ? begin(advertisement, set, &refused) : nil) else {
            return receive(advertisement, data)
        }
        chains[index].append(data, at: advertisement.at)
        guard status != .moreFollows else { return }
        let chain = chains.remove(at: index)
        if chain.isTooLong { refused.count(.incomplete) } else { receive(advertisement, chain.bytes.span.bytes) }
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
