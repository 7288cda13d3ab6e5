import Beacons
import HCI
import Testing

@Suite("The advertisement decoder")
struct AdvertisementDecoderTests {
    var decoder = AdvertisementDecoder()

    /// A non-connectable report of random address 2B:1E:8A:A5:B8:32, which is stored in reverse, with three bytes of
    /// data (flags) and -60 dBm.
    static let report: [UInt8] = [
        0x03, 0x01, 0x32, 0xB8, 0xA5, 0x8A, 0x1E, 0x2B, 0x03, 0x02, 0x01, 0x06, 0xC4,
    ]
    let first = Received(address: address("2B:1E:8A:A5:B8:32"), dBm: -60, data: [0x02, 0x01, 0x06])

    /// An H4 event packet of Low Energy: the subevent, the number of reports, the reports.
    static func packet(_ subevent: UInt8, _ reports: [UInt8]..., announced: UInt8? = nil) -> [UInt8] {
        let parameters = [subevent, announced ?? UInt8(reports.count)] + reports.flatMap { $0 }
        return [0x04, 0x3E, UInt8(parameters.count)] + parameters
    }

    @Test mutating func `a single report is decoded`() {
        var expected = first
        expected.at = Instant(milliseconds: 5)
        #expect(decoder.received(in: Self.packet(0x02, Self.report), at: Instant(milliseconds: 5)) == [expected])
        #expect(decoder.counters == ScanCounters())
    }

    @Test mutating func `several reports in one event are all decoded in order`() {
        // A scan response from public address 11:22:33:44:55:66 without data and without an RSSI.
        let empty: [UInt8] = [0x04, 0x00, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0x00, 0x7F]
        let second = Received(address: address("11:22:33:44:55:66", .public), dBm: nil, data: [])
        #expect(
            decoder.received(in: Self.packet(0x02, Self.report, empty, Self.report)) == [first, second, first])
    }

    @Test mutating func `an address that the controller resolved has the kind of the identity address`() {
        var resolved = Self.report
        resolved[1] = 0x02  // public identity
        #expect(decoder.received(in: Self.packet(0x02, resolved)).first?.address.kind == .public)
        resolved[1] = 0x03  // random static identity
        #expect(decoder.received(in: Self.packet(0x02, resolved)).first?.address.kind == .random)
    }

    @Test mutating func `a report with a reserved address type is refused, and the next reports are decoded`() {
        var odd = Self.report
        odd[1] = 0x04
        #expect(decoder.received(in: Self.packet(0x02, odd, Self.report)) == [first])
        #expect(decoder.counters[refused: .reservedValue] == 1 && decoder.counters.adverts == 1)
    }

    @Test mutating func `a cut report is refused once, and the reports before it are decoded`() {
        let whole = Self.packet(0x02, Self.report, Self.report)
        for length in 6..<whole.count {  // 6: indicator, event, length, subevent, number of reports, one byte
            decoder = AdvertisementDecoder()
            let received = decoder.received(in: Array(whole.prefix(length)))
            #expect(received == (length < 5 + 13 ? [] : [first]))
            #expect(decoder.counters[refused: .truncated] == 1 && decoder.counters.adverts == 1)
        }
    }

    @Test mutating func `announced but missing reports are refused once`() {
        #expect(decoder.received(in: Self.packet(0x02, Self.report, announced: 200)) == [first])
        #expect(decoder.counters[refused: .truncated] == 1 && decoder.counters.adverts == 1)
        #expect(decoder.received(in: [0x04, 0x3E, 0x01, 0x02]).isEmpty)  // not even their number
        #expect(decoder.counters[refused: .truncated] == 2)
    }

    @Test mutating func `a declared length below the actual length limits the event`() {
        var packet = Self.packet(0x02, Self.report, Self.report)
        packet[2] = 2 + 13  // one report only
        #expect(decoder.received(in: packet) == [first])
        #expect(decoder.counters[refused: .truncated] == 1)
        packet[2] = 255  // more than there is
        #expect(decoder.received(in: packet) == [first, first])
        #expect(decoder.counters[refused: .truncated] == 1)
    }

    @Test mutating func `padding behind the reports and an event without reports are ignored`() {
        #expect(decoder.received(in: Self.packet(0x02, Self.report, [0x00, 0x00], announced: 1)) == [first])
        #expect(decoder.received(in: Self.packet(0x02)).isEmpty)
        #expect(decoder.counters == ScanCounters())
    }

    @Test(
        arguments: [
            [], [0x04], [0x04, 0x3E], [0x04, 0x3E, 0x00],
            [0x04, 0x3E, 0x13, 0x01],  // LE Connection Complete
            [0x04, 0x0E, 0x04, 0x01, 0x0C, 0x20, 0x00],  // Command Complete
            [0x01, 0x3E, 0x01, 0x02],  // a command's indicator
            [0x02, 0x3E, 0x01, 0x02],  // data's indicator
        ] as [[UInt8]])
    func `packets of other kinds are ignored and not counted`(packet: [UInt8]) {
        var decoder = AdvertisementDecoder()
        #expect(decoder.received(in: packet).isEmpty)
        #expect(decoder.counters == ScanCounters())
    }

    @Test mutating func `an event without H4's indicator is decoded equally`() {
        let event = Array(Self.packet(0x02, Self.report).dropFirst())
        var strengths: [Int8?] = []
        decoder.decode(event: event.span.bytes, at: .zero) { advertisement, _ in
            strengths.append(advertisement.rssi?.dBm)
        }
        #expect(strengths == [-60])
    }

    @Test mutating func `a directed advertisement is decoded without data`() {
        // Directed, from a random address, to random address FF:…, -70 dBm.
        let directed: [UInt8] = [
            0x01, 0x01, 0x32, 0xB8, 0xA5, 0x8A, 0x1E, 0x2B, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x40, 0xBA,
        ]
        let expected = Received(address: address("2B:1E:8A:A5:B8:32"), dBm: -70, data: [])
        #expect(decoder.received(in: Self.packet(0x0B, directed, directed)) == [expected, expected])
        #expect(decoder.received(in: Self.packet(0x0B, Array(directed.dropLast()))).isEmpty)
        #expect(decoder.counters[refused: .truncated] == 1)
    }
}
