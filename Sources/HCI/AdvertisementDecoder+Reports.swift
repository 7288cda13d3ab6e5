import Beacons

// One report of each kind. `position` is where it begins, and then where the next does; false where the event ends before it.
extension AdvertisementDecoder {
    /// A report of LE Advertising Report:
    ///
    ///       0       1         2 ... 7    8   9 ...      9 + n
    ///     +-------+---------+----------+---+----------+------+
    ///     | event | address | address  | n | n bytes  | RSSI |
    ///     | type  | type    | reversed |   | of data  | Int8 |
    ///     +-------+---------+----------+---+----------+------+
    ///
    /// Data longer than the 31 bytes of the specification is taken as it comes: an AD structure behind the 31st byte harms nobody.
    @inlinable
    mutating func decodeReport(
        in event: RawSpan, at position: inout Int, _ now: Instant, _ hear: (Advertisement, RawSpan) -> Void
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
        hear(
            Advertisement(address: address, rssi: RSSI(dBm: Int8(bitPattern: event.byte(at: rssi))), at: now),
            event.extracting(start + 9..<rssi))
        return true
    }

    /// A report of LE Extended Advertising Report, which legacy advertisements come in too, where the controller was told to scan so:
    ///
    ///       0 1     2         3 ... 8    9       10        11    12      13     14 15      16 ... 22       23  24 ...
    ///     +-------+---------+----------+-------+---------+-----+-------+------+----------+---------------+---+---------+
    ///     | event | address | address  | first | second  | set | TX    | RSSI | periodic | direct        | n | n bytes |
    ///     | type  | type    | reversed | PHY   | PHY     | id  | power | Int8 | interval | address, type |   | of data |
    ///     +-------+---------+----------+-------+---------+-----+-------+------+----------+---------------+---+---------+
    ///
    /// Bits 5 and 6 of the event type: 00 the data is complete, 01 more of it follows in another report, 10 it was cut and no more follows.
    @inlinable
    mutating func decodeExtendedReport(
        in event: RawSpan, at position: inout Int, _ now: Instant, _ hear: (Advertisement, RawSpan) -> Void
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
            hear(advertisement, data)
        } else {
            fragments.take(data, of: advertisement, set: event.byte(at: start + 11), status, refused: &refused, hear)
        }
        return true
    }

    /// A report of LE Directed Advertising Report: somebody calls for one device by its address, and says nothing else.
    ///
    ///       0       1         2 ... 7    8 ... 14        15
    ///     +-------+---------+----------+---------------+------+
    ///     | event | address | address  | direct        | RSSI |
    ///     | type  | type    | reversed | type, address | Int8 |
    ///     +-------+---------+----------+---------------+------+
    @inlinable
    mutating func decodeDirectedReport(
        in event: RawSpan, at position: inout Int, _ now: Instant, _ hear: (Advertisement, RawSpan) -> Void
    ) -> Bool {
        let start = position
        guard event.byteCount - start >= 16 else { return false }
        position = start + 16
        guard let address = DeviceAddress(event, typeAt: start + 1, at: start + 2) else {
            refused.count(.reservedValue)
            return true
        }
        hear(
            Advertisement(address: address, rssi: RSSI(dBm: Int8(bitPattern: event.byte(at: start + 15))), at: now),
            event.extracting(first: 0))
        return true
    }
}

extension DeviceAddress {
    /// The six bytes at `offset`, the last of the address first, and the type at `typeOffset`; `nil` for a type that is reserved.
    @inlinable
    init?(_ event: RawSpan, typeAt typeOffset: Int, at offset: Int) {
        let kind: Kind
        switch event.byte(at: typeOffset) {
        // 2 and 3: the controller resolved it, and gives the address behind the one that was sent.
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
