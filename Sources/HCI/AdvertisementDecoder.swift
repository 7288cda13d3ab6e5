import Beacons

/// Takes the advertisements out of a controller's event packets.
///
///       0      1        2          3         4 ...
///     +------+--------+----------+---------+----------+----------+--
///     | 0x3E | length | subevent | reports | report 1 | report 2 | ...
///     +------+--------+----------+---------+----------+----------+--
///
/// The specification lists a report's fields as arrays, which looks like all types, then all addresses, and so on. But of several arrays it
/// means the first of each, then the second of each (Core 5.4, Vol 4, E 5.2), and so do Linux and BlueZ: report stands after report.
///
/// Events of other kinds are none of its business and are not counted. A report that the event's end cuts off is, as `truncated`; however
/// many more were announced, they count as that one, as nobody can tell whether they ever were.
public struct AdvertisementDecoder: Sendable {
    @usableFromInline var refused = ScanCounters()
    @usableFromInline var fragments = Fragments()

    /// A decoder that has seen nothing.
    public init() {}

    /// The reports that became no advertisement; those that did are counted by who hears them.
    public var counters: ScanCounters { refused }

    /// Hands each advertisement of an H4 packet to `hear`, in order, with its data; packets of other kinds have none.
    @inlinable
    public mutating func decode(_ packet: RawSpan, at now: Instant, _ hear: (Advertisement, RawSpan) -> Void) {
        guard packet.byteCount > 0, packet.byte(at: 0) == HCIEvent.indicator else { return }
        decode(event: packet.extracting(droppingFirst: 1), at: now, hear)
    }

    /// Hands each advertisement of an event without H4's indicator to `hear`, in order, with its data.
    @inlinable
    public mutating func decode(event: RawSpan, at now: Instant, _ hear: (Advertisement, RawSpan) -> Void) {
        guard event.byteCount >= 3, event.byte(at: 0) == HCIEvent.lowEnergyMeta else { return }
        let subevent = event.byte(at: 2)
        guard
            subevent == HCIEvent.advertisingReport || subevent == HCIEvent.extendedAdvertisingReport
                || subevent == HCIEvent.directedAdvertisingReport
        else { return }
        // What the event has, or what it says it has: the lesser, as neither is proof of the other.
        let parameters = event.extracting(first: min(event.byteCount, 2 + Int(event.byte(at: 1))))
        guard parameters.byteCount >= 4 else { return refused.count(.truncated) }
        var position = 4
        for _ in 0..<parameters.byte(at: 3) {
            let isWhole =
                switch subevent {
                case HCIEvent.advertisingReport: decodeReport(in: parameters, at: &position, now, hear)
                case HCIEvent.extendedAdvertisingReport: decodeExtendedReport(in: parameters, at: &position, now, hear)
                default: decodeDirectedReport(in: parameters, at: &position, now, hear)
                }
            guard isWhole else { return refused.count(.truncated) }
        }
    }
}
