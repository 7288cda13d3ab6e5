import Beacons

/// Decodes advertisements from a controller's event packets.
///
///       0      1        2          3         4 ...
///     +------+--------+----------+---------+----------+----------+--
///     | 0x3E | length | subevent | reports | report 1 | report 2 | ...
///     +------+--------+----------+---------+----------+----------+--
///
/// The specification lists the fields of a report as arrays. This does not mean all types, then all addresses: the
/// first elements of all arrays come first, then the second elements (Core 5.4, Vol 4, E 5.2). Linux and BlueZ read it
/// the same way, report after report.
///
/// Other events are ignored and not counted. A report that exceeds the end of the event is counted as `truncated`.
/// Further announced reports are not counted, because their existence is unknown.
public struct AdvertisementDecoder: Sendable {
    @usableFromInline var refused = ScanCounters()
    @usableFromInline var fragments = Fragments()

    /// Creates a decoder with counters of zero.
    public init() {}

    /// The counts of refused reports. The receiver of the advertisements counts the others.
    public var counters: ScanCounters { refused }

    /// Passes each advertisement of an H4 packet to `receive`, in order, with its data; other packets have none.
    @inlinable
    public mutating func decode(_ packet: RawSpan, at now: Instant, _ receive: (Advertisement, RawSpan) -> Void) {
        guard packet.byteCount > 0, packet.byte(at: 0) == HCIEvent.indicator else { return }
        decode(event: packet.extracting(droppingFirst: 1), at: now, receive)
    }

    /// Passes each advertisement of an event without H4's indicator to `receive`, in order, with its data.
    @inlinable
    public mutating func decode(event: RawSpan, at now: Instant, _ receive: (Advertisement, RawSpan) -> Void) {
        guard event.byteCount >= 3, event.byte(at: 0) == HCIEvent.lowEnergyMeta else { return }
        let subevent = event.byte(at: 2)
        guard
            subevent == HCIEvent.advertisingReport || subevent == HCIEvent.extendedAdvertisingReport
                || subevent == HCIEvent.directedAdvertisingReport
        else { return }
        // The smaller of the actual and the declared length, because neither proves the other.
        let parameters = event.extracting(first: min(event.byteCount, 2 + Int(event.byte(at: 1))))
        guard parameters.byteCount >= 4 else { return refused.count(.truncated) }
        var position = 4
        for _ in 0..<parameters.byte(at: 3) {
            let isWhole =
                switch subevent {
                case HCIEvent.advertisingReport: decodeReport(in: parameters, at: &position, now, receive)
                case HCIEvent.extendedAdvertisingReport:
                    decodeExtendedReport(in: parameters, at: &position, now, receive)
                default: decodeDirectedReport(in: parameters, at: &position, now, receive)
                }
            guard isWhole else { return refused.count(.truncated) }
        }
    }
}
