import Beacons

// Decoders for one report of each kind. `position` moves from the beginning of the report to the next one. The result
// is `false` if the event ends too early.
extension AdvertisementDecoder {
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
