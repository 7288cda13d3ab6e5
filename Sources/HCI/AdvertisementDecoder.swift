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

    // MARK: Reports

    /// Decodes a report of LE Advertising Report:
    ///
    ///       0       1         2 ... 7    8   9 ...      9 + n
    ///     +-------+---------+----------+---+----------+------+
    ///     | event | address | address  | n | n bytes  | RSSI |
    ///     | type  | type    | reversed |   | of data  | Int8 |
    ///     +-------+---------+----------+---+----------+------+
    ///
    /// Data beyond the specification's 31 bytes is accepted, because a longer AD structure does no harm.
    @inlinable
    mutating func decodeReport(
        in event: RawSpan, at position: inout Int, _ now: Instant, _ receive: (Advertisement, RawSpan) -> Void
    ) -> Bool {
        let start = position
        guard event.byteCount - start >= 10 else { return false }
        let rssi = start + 9 + Int(event.byte(at: start + 8))
        guard rssi < event.byteCount else { return false }
        position = rssi + 1
        guard let address = DeviceAddress(event, typeAt: start + 1, at: start + 2) else {
            refused.count(.reservedValue)
            return true
        }
        receive(
            Advertisement(address: address, rssi: RSSI(dBm: Int8(bitPattern: event.byte(at: rssi))), at: now),
            event.extracting(start + 9..<rssi))
        return true
    }

    /// Decodes a report of LE Extended Advertising Report, which also carries legacy advertisements if the controller
    /// scans for extended ones:
    ///
    ///       0 1     2         3 ... 8    9       10        11    12      13     14 15      16 ... 22       23  24 ...
    ///     +-------+---------+----------+-------+---------+-----+-------+------+----------+---------------+---+---------+
    ///     | event | address | address  | first | second  | set | TX    | RSSI | periodic | direct        | n | n bytes |
    ///     | type  | type    | reversed | PHY   | PHY     | id  | power | Int8 | interval | address, type |   | of data |
    ///     +-------+---------+----------+-------+---------+-----+-------+------+----------+---------------+---+---------+
    ///
    /// Bits 5 and 6 of the event type: 00 the data is complete, 01 another report continues it, 10 it is cut and not
    /// continued.
    @inlinable
    mutating func decodeExtendedReport(
        in event: RawSpan, at position: inout Int, _ now: Instant, _ receive: (Advertisement, RawSpan) -> Void
    ) -> Bool {
        let start = position
        guard event.byteCount - start >= 24 else { return false }
        let end = start + 24 + Int(event.byte(at: start + 23))
        guard end <= event.byteCount else { return false }
        position = end
        guard let address = DeviceAddress(event, typeAt: start + 2, at: start + 3),
            let status = DataStatus(rawValue: event.byte(at: start) >> 5 & 0b11)
        else {
            refused.count(.reservedValue)
            return true
        }
        let advertisement = Advertisement(
            address: address, rssi: RSSI(dBm: Int8(bitPattern: event.byte(at: start + 13))), at: now)
        let data = event.extracting(start + 24..<end)
        if status == .complete && fragments.isEmpty {
            receive(advertisement, data)
        } else {
            fragments.add(data, of: advertisement, set: event.byte(at: start + 11), status, refused: &refused, receive)
        }
        return true
    }

    /// Decodes a report of LE Directed Advertising Report, an advertisement without data that is addressed to one
    /// device:
    ///
    ///       0       1         2 ... 7    8 ... 14        15
    ///     +-------+---------+----------+---------------+------+
    ///     | event | address | address  | direct        | RSSI |
    ///     | type  | type    | reversed | type, address | Int8 |
    ///     +-------+---------+----------+---------------+------+
    @inlinable
    mutating func decodeDirectedReport(
        in event: RawSpan, at position: inout Int, _ now: Instant, _ receive: (Advertisement, RawSpan) -> Void
    ) -> Bool {
        let start = position
        guard event.byteCount - start >= 16 else { return false }
        position = start + 16
        guard let address = DeviceAddress(event, typeAt: start + 1, at: start + 2) else {
            refused.count(.reservedValue)
            return true
        }
        receive(
            Advertisement(address: address, rssi: RSSI(dBm: Int8(bitPattern: event.byte(at: start + 15))), at: now),
            event.extracting(first: 0))
        return true
    }
}

extension DeviceAddress {
    /// Reads the six bytes at `offset`, in reverse order, and the type at `typeOffset`; `nil` for a reserved type.
    @inlinable
    init?(_ event: RawSpan, typeAt typeOffset: Int, at offset: Int) {
        let kind: Kind
        switch event.byte(at: typeOffset) {
        // For 2 and 3 the controller resolved the address and reports the identity address.
        case 0x00, 0x02: kind = .public
        case 0x01, 0x03: kind = .random
        case 0xFF: kind = .anonymous
        default: return nil
        }
        let low: UInt32 = event.littleEndian(at: offset)
        let high: UInt16 = event.littleEndian(at: offset + 4)
        self.init(bits: kind == .anonymous ? 0 : UInt64(high) << 32 | UInt64(low), kind: kind)
    }
}
