import Beacons
import Testing

@Suite("The sighting reader")
struct SightingReaderTests {
    let advertisement = Advertisement(
        address: DeviceAddress("2B:1E:8A:A5:B8:32", kind: .random)!, rssi: RSSI(dBm: -60), at: Instant(milliseconds: 20)
    )
    let frame = BeaconFrame(
        format: .iBeacon,
        identity: BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4),
        measuredPower: MeasuredPower(dBm: -59))

    @Test func `a sighting has the advertisement's address, RSSI and instant, and the frame's measured power`() {
        var reader = SightingReader()
        let sighting = reader.read(advertisement, frame.advertisingData.span.bytes)
        #expect(
            sighting
                == Sighting(
                    beacon: frame.identity, rssi: advertisement.rssi, measuredPower: frame.measuredPower,
                    address: advertisement.address, at: advertisement.at))
    }

    @Test func `an advertisement without an RSSI becomes a sighting`() {
        var reader = SightingReader()
        var silent = advertisement
        silent.rssi = nil
        let sighting = reader.read(silent, frame.advertisingData.span.bytes)
        #expect(sighting?.beacon == frame.identity && sighting?.rssi == nil)
    }

    @Test func `every advertisement is counted once, as a sighting or as a refusal`() {
        var reader = SightingReader()
        let received: [[UInt8]] = [
            frame.advertisingData, [], frame.advertisingData, [0x05], [0x04, 0xFF, 0x4C, 0x00, 0x02],
            [0x04, 0x16, 0xAA, 0xFE, 0x10],
        ]
        for data in received { _ = reader.read(advertisement, data.span.bytes) }
        #expect(reader.counters.adverts == 6 && reader.counters.sightings == 2)
        for refusal in [AdvertisementRefusal.notABeacon, .truncated, .wrongLength, .unsupportedFrame] {
            #expect(reader.counters[refused: refusal] == 1)
        }
        for refusal in [AdvertisementRefusal.reservedValue, .incomplete] {
            #expect(reader.counters[refused: refusal] == 0)
        }
    }

    @Test func `the counts of two stages add up to their sum`() {
        var first = ScanCounters()
        for refusal in AdvertisementRefusal.allCases { first.count(refusal) }
        var second = ScanCounters()
        second.countSighting()
        second.count(.incomplete)
        let sum = first + second
        #expect(sum.sightings == 1 && sum.refused == UInt64(AdvertisementRefusal.allCases.count) + 1)
        #expect(sum[refused: .incomplete] == 2 && sum[refused: .truncated] == 1)
        #expect(sum.adverts == sum.sightings + sum.refused)
        #expect(sum == second + first && sum != first)
    }

    @Test func `the names of the refusals are the keys of telemetry`() {
        #expect(
            AdvertisementRefusal.allCases.map(\.rawValue)
                == ["not_a_beacon", "truncated", "wrong_length", "unsupported_frame", "reserved_value", "incomplete"])
    }
}
