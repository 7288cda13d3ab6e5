import Beacons
import HCI
import Testing

/// The header of a recording: name, version 1, datalink.
func btsnoopHeader(_ datalink: UInt16) -> [UInt8] {
    Array("btsnoop".utf8) + [0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, UInt8(datalink >> 8), UInt8(datalink & 0xFF)]
}

/// A record of a recording: the packet, the low bytes of the flags, microseconds since 1970.
func btsnoopRecord(_ packet: [UInt8], flags: UInt16 = 3, adapter: UInt8 = 0, at microseconds: Int64 = 0) -> [UInt8] {
    let length: [UInt8] = [0x00, 0x00, UInt8(packet.count >> 8), UInt8(packet.count & 0xFF)]
    let flags: [UInt8] = [0x00, adapter, UInt8(flags >> 8), UInt8(flags & 0xFF)]
    let timestamp = UInt64(microseconds + 0x00DC_DDB3_0F2F_8000)
    return length + length + flags + [0, 0, 0, 0]
        + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: timestamp >> UInt64($0)) } + packet
}

/// The events and the problem of a recording that is read in pieces of this size.
func read(_ file: [UInt8], piece: Int = .max) -> (events: [[UInt8]], times: [Int64], problem: BtsnoopProblem?) {
    var reader = BtsnoopReader()
    var rest = file[...]
    var events: [[UInt8]] = []
    var times: [Int64] = []
    while true {
        do throws(BtsnoopProblem) {
            switch try reader.next() {
            case .event(let time):
                events.append(reader.withEvent { event in event.withUnsafeBytes { Array($0) } })
                times.append(time.microseconds)
            case .needsBytes where rest.isEmpty: reader.finish()
            case .needsBytes:
                reader.feed(Array(rest.prefix(piece)).span.bytes)
                rest = rest.dropFirst(piece)
            case .ended: return (events, times, nil)
            }
        } catch { return (events, times, error) }
    }
}

@Suite("Recordings: btsnoop")
struct BtsnoopTests {
    let event: [UInt8] = [0x3E, 0x02, 0x02, 0x00]  // Low Energy, 2 bytes, LE Advertising Report, none

    @Test func `datalink 1001: an event is recognised by the flags`() {
        let command: [UInt8] = [0x03, 0x0C, 0x00]
        let file =
            btsnoopHeader(1001) + btsnoopRecord(command, flags: 2) + btsnoopRecord(event, flags: 3, at: 5)
            + btsnoopRecord([0x40, 0x00, 0x00, 0x00], flags: 0) + btsnoopRecord([0x40, 0x20, 0x00, 0x00], flags: 1)
        let (events, times, problem) = read(file)
        #expect(events == [event] && times == [5] && problem == nil)
    }

    @Test func `datalink 1002: an event is recognised by the indicator, which is removed`() {
        let file =
            btsnoopHeader(1002) + btsnoopRecord([0x01, 0x03, 0x0C, 0x00], flags: 2)
            + btsnoopRecord([0x04] + event, flags: 3, at: 5) + btsnoopRecord([], flags: 3)
            + btsnoopRecord([0x02, 0x40, 0x20, 0x00, 0x00], flags: 1) + btsnoopRecord([0x04] + event, flags: 0, at: 6)
        let (events, times, problem) = read(file)
        #expect(events == [event, event] && times == [5, 6] && problem == nil)
    }

    @Test func `datalink 2001: an event of any adapter is recognised by the opcode`() {
        let file =
            btsnoopHeader(2001) + btsnoopRecord(Array("hci0".utf8), flags: 0)  // a new adapter
            + btsnoopRecord(event, flags: 3, at: 5) + btsnoopRecord([0x03, 0x0C, 0x00], flags: 2)  // a command
            + btsnoopRecord(event, flags: 3, adapter: 1, at: 6) + btsnoopRecord([0x06], flags: 12)  // a system note
        let (events, times, problem) = read(file)
        #expect(events == [event, event] && times == [5, 6] && problem == nil)
    }

    @Test(arguments: [1, 2, 3, 7, 16, 23, 24, 25, 40, 1000])
    func `a file is read equally in pieces of any size`(piece: Int) {
        let file = btsnoopHeader(1001) + (0..<9).flatMap { btsnoopRecord(event + [UInt8($0)], at: $0) }
        let (events, times, problem) = read(file, piece: piece)
        #expect(events == (0..<9).map { event + [$0] } && times == Array(0..<9) && problem == nil)
    }

    @Test func `times are read unchanged, including times before 1970 and implausible ones`() {
        let record = btsnoopRecord(event, at: 1_700_000_000_123_456)
        let early = btsnoopRecord(event, at: -1)
        let absurd = Array(record.prefix(16)) + [UInt8](repeating: 0xFF, count: 8) + event
        let (_, times, _) = read(btsnoopHeader(1001) + record + early + absurd)
        #expect(times == [1_700_000_000_123_456, -1, -1 - 0x00DC_DDB3_0F2F_8000])
        #expect(CaptureTime(microseconds: 1_700_000_000_123_456).wall.description == "2023-11-14T22:13:20.123Z")
    }

    @Test(
        arguments: [
            ([], .cutHeader), (Array("btsn".utf8), .cutHeader), (Array(btsnoopHeader(1002).prefix(15)), .cutHeader),
            (Array("{\"v\":1}".utf8), .notBtsnoop), (Array("btsnoop 0123456789".utf8), .notBtsnoop),
            (btsnoopHeader(1003), .unsupportedDatalink(1003)),  // BCSP
            (Array(btsnoopHeader(1002).prefix(11)) + [0x02, 0x00, 0x00, 0x03, 0xEA], .unsupportedVersion(2)),
        ] as [([UInt8], BtsnoopProblem)])
    func `a file that is no recording is refused for its own reason`(file: [UInt8], problem: BtsnoopProblem) {
        #expect(read(file).problem == problem)
        #expect(read(file, piece: 1).problem == problem)
    }

    @Test func `a recording that ends inside a record yields the records before it and a problem`() {
        let whole = btsnoopHeader(1001) + btsnoopRecord(event) + btsnoopRecord(event)
        let firstEnd = 16 + 24 + event.count
        for length in firstEnd...whole.count {
            let (events, _, problem) = read(Array(whole.prefix(length)))
            #expect(events.count == (length == whole.count ? 2 : 1))
            #expect(problem == (length == firstEnd || length == whole.count ? nil : .cutRecord(2)))
        }
    }

    @Test func `a record that claims to be longer than any packet ends the recording at once`() {
        var longest = btsnoopRecord([])
        longest.replaceSubrange(0..<8, with: [0x00, 0x01, 0x00, 0x04, 0x00, 0x01, 0x00, 0x04])  // 65,540 bytes
        let file = btsnoopHeader(1001) + btsnoopRecord(event)
        #expect(read(file + longest + [UInt8](repeating: 0, count: 65_540)).events.count == 2)
        longest[7] = 0x05
        let (events, _, problem) = read(file + longest)
        #expect(events.count == 1 && problem == .absurdLength(record: 2, bytes: 65_541))
    }

    @Test func `a problem is thrown again by later calls`() throws {
        var reader = BtsnoopReader()
        reader.feed(btsnoopHeader(1003).span.bytes)
        for _ in 0..<2 { #expect(throws: BtsnoopProblem.unsupportedDatalink(1003)) { try reader.next() } }
    }

    @Test func `a problem has a sentence`() {
        #expect(
            BtsnoopProblem.unsupportedDatalink(1003).description
                == "is a btsnoop file of datalink 1003; only 1001 (HCI), 1002 (HCI UART, H4) and 2001 (Linux monitor) are supported"
        )
        #expect(BtsnoopProblem.cutRecord(17).description == "ends in the middle of record 17")
    }

    @Test func `a written recording has the bytes of the format`() {
        var file = BtsnoopWriter.header
        BtsnoopWriter.append(
            ([0x04] + event).span.bytes, at: CaptureTime(WallTime("2026-11-21T05:40:12.345Z")!), lost: 7, to: &file)
        #expect(
            file == [
                0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0x00,  // btsnoop
                0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x03, 0xEA,  // version 1, datalink 1002
                0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x05,  // five bytes, five of them here
                0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x07,  // received event; seven were lost
                0x00, 0xE3, 0x3E, 0x75, 0xDA, 0x90, 0xEA, 0xA8,  // microseconds since the year 0
                0x04, 0x3E, 0x02, 0x02, 0x00,
            ])
        let (events, times, problem) = read(file)
        #expect(events == [event] && times == [1_795_239_612_345_000] && problem == nil)
    }
}
