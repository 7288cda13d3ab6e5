import Beacons
import HCI
import Testing

@Suite("Extended advertising reports")
struct ExtendedReportTests {
    var decoder = AdvertisementDecoder()
    let sender = address("2B:1E:8A:A5:B8:32")

    /// A fragment of an advertisement of set 1, -60 dBm.
    func part(_ data: [UInt8], _ status: DataStatus, from address: DeviceAddress? = nil, set: UInt8 = 1) -> [UInt8] {
        HCIPacket.extendedAdvertisingReport(
            address: address ?? sender, rssi: RSSI(dBm: -60), data: data, set: set, status: status)
    }

    @Test mutating func `an extended and a legacy report in one event are decoded`() {
        let reports: [UInt8] = [
            0x10, 0x00,  // event type: legacy, not connectable, complete
            0x01, 0x32, 0xB8, 0xA5, 0x8A, 0x1E, 0x2B,  // random 2B:1E:8A:A5:B8:32
            0x01, 0x00, 0xFF, 0x7F,  // LE 1M, no second channel, no set, no TX power
            0xC4, 0x00, 0x00,  // -60 dBm, no periodic advertising
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // directed at nobody
            0x03, 0x02, 0x01, 0x06,  // three bytes: flags
            0x00, 0x00,  // event type: extended, complete
            0xFF, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06,  // anonymous, with an unused address
            0x01, 0x02, 0x05, 0x0C,  // LE 1M, then LE 2M, set 5, 12 dBm
            0x7F, 0x00, 0x00,  // no RSSI
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00,  // no data
        ]
        let packet: [UInt8] = [0x04, 0x3E, UInt8(2 + reports.count), 0x0D, 0x02] + reports
        let first = Received(address: sender, dBm: -60, data: [0x02, 0x01, 0x06])
        let second = Received(address: DeviceAddress(bits: 0, kind: .anonymous), dBm: nil, data: [])
        #expect(decoder.received(in: packet) == [first, second])
        for length in 6..<packet.count {
            decoder = AdvertisementDecoder()
            #expect(decoder.received(in: Array(packet.prefix(length))) == (length < 5 + 27 ? [] : [first]))
            #expect(decoder.counters[refused: .truncated] == 1 && decoder.counters.adverts == 1)
        }
    }

    @Test mutating func `fragments are assembled to one advertisement with the instant of the last fragment`() {
        #expect(decoder.received(in: part([1, 2], .moreFollows), at: Instant(milliseconds: 1)).isEmpty)
        #expect(decoder.received(in: part([3], .moreFollows), at: Instant(milliseconds: 2)).isEmpty)
        let received = decoder.received(in: part([4, 5], .complete), at: Instant(milliseconds: 3))
        #expect(received == [Received(address: sender, dBm: -60, data: [1, 2, 3, 4, 5], at: Instant(milliseconds: 3))])
        #expect(decoder.received(in: part([6], .complete)).map(\.data) == [[6]])
        #expect(decoder.counters == ScanCounters())
    }

    @Test mutating func `interleaved fragments are assigned to their advertisements by address and set`() {
        let other = address("C0:00:00:00:00:01")
        _ = decoder.received(in: part([1], .moreFollows))
        _ = decoder.received(in: part([2], .moreFollows, set: 2))
        _ = decoder.received(in: part([3], .moreFollows, from: other))
        #expect(decoder.received(in: part([9], .complete, set: 7)).map(\.data) == [[9]])
        #expect(decoder.received(in: part([4], .complete)).map(\.data) == [[1, 4]])
        #expect(decoder.received(in: part([5], .complete, from: other)).map(\.data) == [[3, 5]])
        #expect(decoder.received(in: part([6], .complete, set: 2)).map(\.data) == [[2, 6]])
    }

    @Test mutating func `an advertisement that the controller cut is decoded up to the cut`() {
        #expect(decoder.received(in: part([1], .cut)).map(\.data) == [[1]])
        _ = decoder.received(in: part([1], .moreFollows))
        #expect(decoder.received(in: part([2], .cut)).map(\.data) == [[1, 2]])
        #expect(decoder.counters == ScanCounters())
    }

    @Test mutating func `a fragment without its continuation in time is refused as incomplete`() {
        _ = decoder.received(in: part([1], .moreFollows), at: .zero)
        // 3 s is the longest time between two fragments; this fragment ends another advertisement.
        #expect(decoder.received(in: part([2], .complete), at: Instant(milliseconds: 3001)).map(\.data) == [[2]])
        #expect(decoder.counters[refused: .incomplete] == 1 && decoder.counters.adverts == 1)
    }

    @Test mutating func `the oldest of five incomplete advertisements is refused as incomplete`() {
        for set: UInt8 in 0..<5 { _ = decoder.received(in: part([set], .moreFollows, set: set)) }
        #expect(decoder.counters[refused: .incomplete] == 1)
        #expect(decoder.received(in: part([0xFF], .complete, set: 1)).map(\.data) == [[1, 0xFF]])
        #expect(decoder.received(in: part([0xFF], .complete, set: 0)).map(\.data) == [[0xFF]])
    }

    @Test mutating func `an advertisement longer than 1650 bytes is refused completely as incomplete`() {
        let full = [UInt8](repeating: 0xAA, count: 229)
        for _ in 0..<7 { _ = decoder.received(in: part(full, .moreFollows)) }
        #expect(decoder.received(in: part([UInt8](full.prefix(47)), .complete)).map(\.data.count) == [1650])
        for _ in 0..<40 { #expect(decoder.received(in: part(full, .moreFollows)).isEmpty) }
        #expect(decoder.received(in: part([], .complete)).isEmpty)
        #expect(decoder.counters[refused: .incomplete] == 1 && decoder.counters.adverts == 1)
        #expect(decoder.received(in: part([7], .complete)).map(\.data) == [[7]])
    }

    @Test mutating func `a report with a reserved value is refused, and the next reports are decoded`() {
        var status = part([1], .complete)
        status[5] = 0b11 << 5  // a reserved data status
        var kind = part([1], .complete)
        kind[7] = 0x05  // a reserved address type
        #expect(decoder.received(in: status).isEmpty && decoder.received(in: kind).isEmpty)
        #expect(decoder.counters[refused: .reservedValue] == 2 && decoder.counters.adverts == 2)
        #expect(decoder.received(in: part([1], .complete)).count == 1)
    }
}
