import Beacons
import Glibc
import HCI
import Testing

/// The output of btmon -r for a recording, with one line per report: seconds since the first report, sender, its kind,
/// RSSI, and the iBeacon with uuid, version and power, or a dash.
private final class Btmon {
    private let pipe: UnsafeMutablePointer<FILE>
    private var line: UnsafeMutablePointer<CChar>?
    private var capacity = 0

    init(reading path: String) throws {
        let digest = """
            function flush() { if (kind) print time, address, kind, rssi, uuid ? uuid " " version " " power : "-"; kind = uuid = "" }
            /^> HCI Event/ { flush(); time = $NF }
            /^ +Address type:/ { flush(); kind = $3 }
            /^ +Address:/ { address = $2 }
            /^ +RSSI:/ { rssi = $NF }
            /^ +UUID:/ { uuid = $2 }
            /^ +Version:/ { version = $2 }
            /^ +TX power: .* dB$/ { power = $3 }
            END { flush() }
            """
        pipe = try #require(popen("/usr/bin/btmon -r '\(path)' | LC_ALL=C awk '\(digest)'", "r"))
    }

    deinit {
        pclose(pipe)
        free(line)
    }

    func next() -> String? {
        let length = getline(&line, &capacity, pipe)
        guard length > 0, let line else { return nil }
        return String(decoding: UnsafeRawBufferPointer(start: line, count: length - 1), as: UTF8.self)
    }
}

/// This project's decoding of a recording, in the format of `Btmon`.
private struct Ours {
    var reader = BtsnoopReader()
    var decoder = AdvertisementDecoder()
    var sightings = SightingReader()
    var firstSecond: Int64?

    /// The lines that can be read so far.
    mutating func lines(_ body: (String) -> Void) throws {
        while case .event(let time) = try reader.next() {
            let start = firstSecond ?? time.microseconds / 1_000_000
            firstSecond = start
            let (seconds, fraction) = (time.microseconds - start * 1_000_000).quotientAndRemainder(
                dividingBy: 1_000_000)
            let when = "\(seconds)." + String(String(1_000_000 + fraction).dropFirst())
            reader.withEvent { event in
                decoder.decode(event: event, at: .zero) { advertisement, data in
                    let sighting = sightings.read(advertisement, data)
                    let kind = advertisement.address.kind == .random ? "Random" : "Public"
                    // The RSSI as a byte, because btmon prints "invalid" and the byte for values below -99 dBm.
                    let rssi = String(0x100 + Int(UInt8(bitPattern: advertisement.rssi?.dBm ?? 127)), radix: 16)
                        .dropFirst()
                    let beacon = sighting.map(Self.reversed) ?? "-"
                    body("\(when) \(advertisement.address) \(kind) (0x\(rssi)) \(beacon)")
                }
            }
        }
    }

    /// btmon reads the identity's bytes as little-endian: the uuid is reversed, and major and minor form a version of
    /// swapped bytes.
    private static func reversed(_ sighting: Sighting) -> String {
        let beacon = sighting.beacon
        let uuid = BeaconUUID(high: beacon.uuid.low.byteSwapped, low: beacon.uuid.high.byteSwapped)
        return "\(uuid) \(beacon.major.byteSwapped).\(beacon.minor.byteSwapped) \(sighting.measuredPower.dBm)"
    }
}

@Suite("Recordings, compared with btmon report by report")
struct BtmonTests {
    @Test(
        .enabled(if: Recordings.btmonIsInstalled, "skipped: btmon is not installed (package bluez)"),
        .enabled(
            if: Recordings.isThere("pi-scanner.btsnoop"), "skipped: pi-scanner.btsnoop is not in \(Recordings.folder)"))
    func `a Raspberry Pi's recording of 494 packets with 429 iBeacons is decoded as by btmon`() throws {
        let counters = try compare(Recordings.path("pi-scanner.btsnoop"))
        #expect(counters.adverts == 494 && counters.sightings == 429 && counters[refused: .notABeacon] == 65)
    }

    @Test(
        .enabled(if: Recordings.btmonIsInstalled, "skipped: btmon is not installed (package bluez)"),
        .enabled(
            if: Recordings.isThere("mall-ibeacons.btsnoop"),
            "skipped: mall-ibeacons.btsnoop is not in \(Recordings.folder)"))
    func `the recordings of two malls with 89,036 iBeacons are decoded as by btmon`() throws {
        let counters = try compare(Recordings.path("mall-ibeacons.btsnoop"))
        #expect(counters.adverts == 89_036 && counters.sightings == 89_036)
    }

    @Test(.enabled(if: Recordings.btmonIsInstalled, "skipped: btmon is not installed (package bluez)"))
    func `a written recording with several and extended reports per event is decoded as by btmon`() throws {
        var random = SplitMix64(seed: 7)
        var file = BtsnoopWriter.header
        var written: UInt64 = 0
        var time = CaptureTime(WallTime("2026-11-21T05:40:12.345Z")!)
        for _ in 0..<300 {
            let reports = (0...random.below(5)).map { _ in
                let frame = BeaconFrame(
                    format: .iBeacon,
                    identity: BeaconIdentity(
                        uuid: BeaconUUID(high: random.next(), low: random.next()),
                        major: .random(in: 0 ... .max, using: &random),
                        minor: .random(in: 0 ... .max, using: &random)),
                    measuredPower: MeasuredPower(dBm: Int8(bitPattern: random.byte())))
                return HCIPacket.Report(
                    address: DeviceAddress(bits: random.next(), kind: random.below(2) == 0 ? .public : .random),
                    rssi: RSSI(dBm: Int8(bitPattern: random.byte())),
                    data: random.below(3) == 0 ? [0x02, 0x01, 0x06] : frame.advertisingData)
            }
            let packet =
                random.below(2) == 0
                ? HCIPacket.advertisingReports(reports)
                : HCIPacket.extendedAdvertisingReport(
                    address: reports[0].address, rssi: reports[0].rssi, data: reports[0].data)
            written += packet[3] == 0x02 ? UInt64(reports.count) : 1
            BtsnoopWriter.append(packet.span.bytes, at: time, to: &file)
            time.microseconds += Int64(random.below(3_000_000))
        }
        let path = try temporaryFile(holding: file)
        defer { unlink(path) }
        #expect(try compare(path).adverts == written)
    }

    private func temporaryFile(holding bytes: [UInt8]) throws -> String {
        var name = Array("/tmp/forgetmenot-XXXXXX".utf8CString)
        let file = mkstemp(&name)
        try #require(file >= 0)
        defer { close(file) }
        try #require(write(file, bytes, bytes.count) == bytes.count)
        return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Compares line by line; the first difference is reported and ends the comparison.
    private func compare(_ path: String) throws -> ScanCounters {
        let btmon = try Btmon(reading: path)
        var ours = Ours()
        var count = 0
        var difference: String?
        func check() throws {
            try ours.lines { line in
                let theirs = btmon.next()
                count += 1
                if difference == nil, line != theirs { difference = "\(count): \(line) | \(theirs ?? "nothing")" }
            }
        }
        try Recordings.read(path) { piece in
            ours.reader.feed(piece)
            try check()
        }
        ours.reader.finish()
        try check()
        #expect(difference == nil)
        #expect(btmon.next() == nil)
        return ours.decoder.counters + ours.sightings.counters
    }
}
