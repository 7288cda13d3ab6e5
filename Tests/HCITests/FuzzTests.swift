import Beacons
import HCI
import Testing

/// With any bytes, nothing traps, which would end this process, and every advertisement is counted once.
@Suite("Hostile bytes")
struct FuzzTests {
    /// Valid packets of every decoded kind.
    static let packets: [[UInt8]] = {
        var random = SplitMix64(seed: 1)
        let frames = BeaconFrame.Format.allCases.map { format in
            BeaconFrame(
                format: format,
                identity: BeaconIdentity(uuid: BeaconUUID(high: random.next(), low: random.next()), major: 0, minor: 0),
                measuredPower: MeasuredPower(dBm: -59)
            ).advertisingData
        }
        let data = frames + [[], [0x02, 0x01, 0x06], [0x05, 0x09, 0x41, 0x42, 0x43, 0x44]]
        let reports = data.map {
            HCIPacket.Report(address: address("C0:00:00:00:00:01"), rssi: RSSI(dBm: -60), data: $0)
        }
        let directed = AdvertisementDecoderTests.packet(0x0B, [UInt8](repeating: 0x01, count: 16))
        return reports.map { HCIPacket.advertisingReports([$0]) }
            + [HCIPacket.advertisingReports(reports), directed]
            + data.flatMap { data in
                [DataStatus.complete, .moreFollows, .cut].map { status in
                    HCIPacket.extendedAdvertisingReport(
                        address: reports[0].address, rssi: nil, data: data, set: 3, status: status)
                }
            }
    }()

    @Test func `damaged packets are decoded, refused or ignored`() {
        var random = SplitMix64(seed: 42)
        var decoder = AdvertisementDecoder()
        var reader = SightingReader()
        var received: UInt64 = 0
        var sightings: UInt64 = 0
        for round in 0..<200_000 {
            var packet = Self.packets[random.below(Self.packets.count)]
            random.damage(&packet)
            decoder.decode(packet.span.bytes, at: Instant(milliseconds: Int64(round))) { advertisement, data in
                received += 1
                if reader.read(advertisement, data) != nil { sightings += 1 }
                if received % 16 == 0 { _ = LocalName(in: data) }
            }
        }
        #expect(reader.counters.adverts == received && reader.counters.sightings == sightings)
        let all = decoder.counters + reader.counters
        #expect(
            all.adverts == all.sightings + all.refused && all.sightings == sightings && decoder.counters.sightings == 0)
        // Each outcome must occur: damage without any effect would be no test.
        for refusal in AdvertisementRefusal.allCases { #expect(all[refused: refusal] > 0, "\(refusal)") }
        #expect(sightings > 10_000)
    }

    @Test func `each complete report with any data is counted once`() {
        var random = SplitMix64(seed: 43)
        var decoder = AdvertisementDecoder()
        var reader = SightingReader()
        var written: UInt64 = 0
        for _ in 0..<20_000 {
            let reports = (0...random.below(4)).map { _ in
                HCIPacket.Report(
                    address: address("C0:00:00:00:00:01"), rssi: nil,
                    data: (0..<random.below(32)).map { _ in UInt8(random.below(random.below(2) == 0 ? 32 : 256)) })
            }
            written += UInt64(reports.count)
            decoder.decode(HCIPacket.advertisingReports(reports).span.bytes, at: .zero) { _ = reader.read($0, $1) }
        }
        #expect(reader.counters.adverts == written && decoder.counters == ScanCounters())
    }

    @Test func `damaged recordings are played or refused with a sentence`() {
        var random = SplitMix64(seed: 44)
        var problems: Set<String> = []
        for round in 0..<4000 {
            var file = btsnoopHeader([1001, 1002, 2001][random.below(3)])
            for index in 0..<5 {
                file += btsnoopRecord(Self.packets[random.below(Self.packets.count)], at: Int64(index) * 1_000_000)
            }
            random.damage(&file)
            var player = CapturePlayer(
                CapturePlayer.Settings(speed: .fast, gapLimit: round % 2 == 0 ? .seconds(60) : nil), at: .zero)
            var decoder = AdvertisementDecoder()
            var rest = file[...]
            var last = Instant.zero
            var progress = CapturePlayer.Progress.waiting
            while progress != .ended {
                progress = player.advance(to: .zero) { event, at in
                    #expect(at >= last)
                    last = at
                    decoder.decode(event: event, at: at) { _, _ in }
                }
                if rest.isEmpty { player.finish() }
                player.feed(Array(rest.prefix(64)).span.bytes)
                rest = rest.dropFirst(64)
            }
            if let problem = player.problem { problems.insert(String(problem.description.prefix(12))) }
        }
        #expect(problems.count >= 4)
    }
}
