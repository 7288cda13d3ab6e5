import Beacons
import Testing

/// An AD structure of service data: length, type, UUID, bytes.
private func serviceData(_ service: UInt16, _ bytes: [UInt8]) -> [UInt8] {
    [UInt8(bytes.count + 3), 0x16, UInt8(truncatingIfNeeded: service), UInt8(service >> 8)] + bytes
}

/// An Eddystone-TLM with the bytes of battery and temperature, 3 advertisements sent, and 7 tenths of a second since the start.
private func telemetry(_ battery: UInt16, _ temperature: UInt16, version: UInt8 = 0) -> [UInt8] {
    serviceData(
        0xFEAA,
        [0x20, version, UInt8(battery >> 8), UInt8(battery & 0xFF), UInt8(temperature >> 8), UInt8(temperature & 0xFF)]
            + [0, 0, 0, 3, 0, 0, 0, 7])
}

private func readings(_ data: [UInt8]) -> TagReadings? { TagReadings(in: data.span.bytes) }

@Suite("The readings of a tag")
struct TagReadingsTests {
    let flags: [UInt8] = [0x02, 0x01, 0x06]
    let frame = BeaconFrame(
        format: .iBeacon, identity: BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4),
        measuredPower: MeasuredPower(dBm: -59))

    @Test func `an Eddystone-TLM has a voltage and a temperature`() {
        let expected = TagReadings(batteryMillivolts: 2950, temperatureTenths: 215)
        #expect(readings(flags + telemetry(2950, 0x1580)) == expected)  // 21.5 in 1/256
        #expect(readings([0x03, 0x03, 0xAA, 0xFE] + telemetry(2950, 0x1580)) == expected)
    }

    @Test(
        arguments: [
            (0x0000, 0), (0x0019, 1), (0xFFE7, -1), (0xEC80, -195), (0x7D00, 1250), (0x7D1A, 1251), (0x7FFF, 1280),
            (0x9C00, -1000), (0x9BE6, -1001), (0x8001, -1280),
        ] as [(UInt16, Int)])
    func `an Eddystone-TLM's temperature is rounded to tenths, and left out where no tag works`(
        bytes: UInt16, tenths: Int
    ) {
        let isBelieved = TagReadings.temperatures.contains(Int16(tenths))
        #expect(readings(telemetry(3000, bytes))?.temperatureTenths == (isBelieved ? Int16(tenths) : nil))
    }

    @Test func `an Eddystone-TLM leaves out what the tag does not measure`() {
        #expect(readings(telemetry(0, 0x1580)) == TagReadings(temperatureTenths: 215))
        #expect(readings(telemetry(2950, 0x8000)) == TagReadings(batteryMillivolts: 2950))
        #expect(readings(telemetry(0, 0x8000)) == nil)
    }

    @Test func `a voltage is left out where no radio runs`() {
        for (millivolts, isBelieved) in [(100, false), (1599, false), (1600, true), (6000, true), (6001, false)] {
            let read = readings(telemetry(UInt16(millivolts), 0))?.batteryMillivolts
            #expect(read == (isBelieved ? UInt16(millivolts) : nil))
        }
    }

    @Test func `an Eddystone-TLM is ignored if it is encrypted, cut, too long or another frame`() {
        #expect(readings(telemetry(2950, 0x1580, version: 1)) == nil)
        let whole = telemetry(2950, 0x1580)
        for count in 4..<whole.count {
            #expect(readings([UInt8(count - 1)] + whole[1..<count]) == nil, "a structure of \(count) bytes")
            #expect(readings(Array(whole[..<count])) == nil, "data that ends after \(count) bytes")
        }
        #expect(readings([0x12] + whole.dropFirst() + [0x00]) == nil)
        #expect(readings(serviceData(0xFEAA, [0x10] + whole.dropFirst(5))) == nil)
    }

    @Test func `the Battery Service's data is a percentage of one byte`() {
        #expect(readings(flags + serviceData(0x180F, [0x0C])) == TagReadings(batteryPercent: 12))
        #expect(readings(serviceData(0x180F, [0x00])) == TagReadings(batteryPercent: 0))
        #expect(readings(serviceData(0x180F, [100])) == TagReadings(batteryPercent: 100))
        for bytes in [[], [101], [0xFF], [0x0C, 0x00]] as [[UInt8]] {
            #expect(readings(serviceData(0x180F, bytes)) == nil)
        }
        #expect(readings([0x04, 0xFF, 0x0F, 0x18, 0x0C]) == nil)  // manufacturer data
    }

    @Test func `BTHome has a percentage, a voltage and a temperature between other objects`() {
        // Packet id 27, battery 100 %, temperature 22.48 °C, humidity 67.64 %, voltage 3.074 V.
        let objects: [UInt8] = [
            0x00, 0x1B, 0x01, 0x64, 0x02, 0xC8, 0x08, 0x03, 0x6C, 0x1A, 0x0C, 0x02, 0x0C,
        ]
        #expect(
            readings(flags + serviceData(0xFCD2, [0x40] + objects))
                == TagReadings(batteryPercent: 100, batteryMillivolts: 3074, temperatureTenths: 225))
        // Bit 2: the tag sends when something happens. The objects are the same.
        #expect(readings(serviceData(0xFCD2, [0x44] + objects))?.batteryPercent == 100)
        // A button, a counter of four bytes, -5.5 °C in tenths.
        #expect(
            readings(serviceData(0xFCD2, [0x40, 0x01, 0x0C, 0x3A, 0x01, 0x3E, 1, 2, 3, 4, 0x45, 0xC9, 0xFF]))
                == TagReadings(batteryPercent: 12, temperatureTenths: -55))
        // A UV index, 3.1 V in tenths, gas, -17 °C; and a counter of energy, a conductivity, 65 times 0.35 °C.
        #expect(
            readings(serviceData(0xFCD2, [0x40, 0x46, 0x32, 0x4A, 0x1F, 0x00, 0x4B, 1, 2, 3, 0x57, 0xEF]))
                == TagReadings(batteryMillivolts: 3100, temperatureTenths: -170))
        #expect(
            readings(serviceData(0xFCD2, [0x40, 0x4D, 1, 2, 3, 4, 0x56, 0xE8, 0x03, 0x58, 0x41]))
                == TagReadings(temperatureTenths: 228))
        // 230 V, as a plug reports it, is no battery's.
        #expect(readings(serviceData(0xFCD2, [0x40, 0x4A, 0xFC, 0x08])) == nil)
        #expect(readings(serviceData(0xFCD2, [0x40, 0x4A, 0xFF, 0xFF])) == nil)
    }

    @Test func `the first of two values of BTHome counts`() {
        #expect(readings(serviceData(0xFCD2, [0x40, 0x01, 50, 0x01, 60])) == TagReadings(batteryPercent: 50))
    }

    @Test func `an unknown object of BTHome ends the reading`() {
        #expect(
            readings(serviceData(0xFCD2, [0x40, 0x01, 0x0C, 0x30, 0x01, 0x45, 0xC9, 0x00]))
                == TagReadings(batteryPercent: 12))
        #expect(readings(serviceData(0xFCD2, [0x40, 0xF0, 0x01, 0x01, 0x0C])) == nil)
    }

    @Test func `BTHome is ignored if it is encrypted, has an address, another version, no object or a cut one`() {
        for device: UInt8 in [0x41, 0x42, 0x20, 0x60, 0x00, 0xFF] {
            #expect(readings(serviceData(0xFCD2, [device, 0x01, 0x0C])) == nil)
        }
        #expect(readings(serviceData(0xFCD2, [])) == nil && readings(serviceData(0xFCD2, [0x40])) == nil)
        #expect(readings(serviceData(0xFCD2, [0x40, 0x01])) == nil)
        #expect(readings(serviceData(0xFCD2, [0x40, 0x01, 0x0C, 0x0C, 0x02])) == nil)
        // What cannot be: 101 %, 65.535 V, 327.67 °C, 3276.7 °C.
        #expect(readings(serviceData(0xFCD2, [0x40, 0x01, 101, 0x0C, 0xFF, 0xFF, 0x02, 0xFF, 0x7F])) == nil)
        #expect(readings(serviceData(0xFCD2, [0x40, 0x45, 0xFF, 0x7F])) == nil)
    }

    @Test func `the frames of Minew have a percentage, and that of a thermometer a temperature`() {
        let address: [UInt8] = [0x06, 0x05, 0x04, 0x3F, 0x23, 0xAC]
        let frames: [(UInt8, [UInt8])] = [
            (1, [0x15, 0x80, 0x2D, 0x00] + address), (2, [0x01] + address), (3, [0, 1, 0, 2, 0xFF, 0xC0] + address),
            (8, address + Array("PLUS".utf8)), (8, address),
        ]
        for (model, rest) in frames {
            for percent: UInt8 in [0, 12, 100] {
                let read = readings(flags + serviceData(0xFFE1, [0xA1, model, percent] + rest))
                #expect(read == TagReadings(batteryPercent: percent, temperatureTenths: model == 1 ? 215 : nil))
            }
            #expect(readings(serviceData(0xFFE1, [0xA1, model, 101] + rest))?.batteryPercent == nil)
            #expect(readings(serviceData(0xFFE1, [0xA0, model, 12] + rest)) == nil, "another frame")
            #expect(readings(serviceData(0xFFE1, [0xA1, 9, 12] + rest)) == nil, "an unknown model")
            for count in 0..<5 {
                #expect(readings(serviceData(0xFFE1, Array(([0xA1, model, 12] + rest)[..<count]))) == nil)
            }
            if model != 8 { #expect(readings(serviceData(0xFFE1, [0xA1, model, 12] + rest + [0])) == nil) }
        }
    }

    @Test func `the scan response of Kontakt_io has a percentage`() {
        let rest = Array("abcd".utf8) + [4, 2]
        for percent: UInt8 in [0, 12, 100] {
            #expect(readings(serviceData(0xD00D, rest + [percent])) == TagReadings(batteryPercent: percent))
        }
        #expect(readings(serviceData(0xD00D, rest + [101])) == nil)
        #expect(readings(serviceData(0xD00D, rest)) == nil && readings(serviceData(0xD00D, rest + [12, 0])) == nil)
    }

    @Test func `the sensor frame of KKM has a voltage if its mask has one`() {
        let rest: [UInt8] = [21, 50, 40, 0, 0, 1, 0, 2, 0, 3]
        #expect(
            readings(serviceData(0xFEAA, [0x21, 1, 0x0F, 0x0B, 0x86] + rest)) == TagReadings(batteryMillivolts: 2950))
        #expect(readings(serviceData(0xFEAA, [0x21, 1, 0x01, 0x0B, 0x86])) == TagReadings(batteryMillivolts: 2950))
        #expect(readings(serviceData(0xFEAA, [0x21, 1, 0x0E, 0x0B, 0x86] + rest)) == nil)
        #expect(
            readings(serviceData(0xFEAA, [0x21, 1, 0x0F, 0x0B])) == nil && readings(serviceData(0xFEAA, [0x21])) == nil)
    }

    @Test(arguments: [(215, 344), (-5, -8), (0, 0), (600, 960), (-200, -320)])
    func `Estimote's telemetry has voltage and temperature, and from version 1 on a percentage`(
        tenths: Int16, sixteenths: Int
    ) {
        func frame(_ version: UInt8, subframe: UInt8 = 1, _ millivolts: UInt16 = 2950, _ percent: UInt8 = 12) -> [UInt8]
        {
            let bits = UInt16(truncatingIfNeeded: sixteenths) & 0xFFF
            let last = UInt8(millivolts & 0x3F) << 2 | UInt8(bits >> 10)
            return serviceData(
                0xFE9A,
                [version << 4 | 2, 1, 2, 3, 4, 5, 6, 7, 8, subframe, 0, 0, 0, 9, 9]
                    + [UInt8(bits & 3) << 6 | 0x2A, UInt8(bits >> 2 & 0xFF), last, UInt8(millivolts >> 6), percent])
        }
        #expect(readings(frame(0)) == TagReadings(batteryMillivolts: 2950, temperatureTenths: tenths))
        for version: UInt8 in [1, 2] {
            #expect(
                readings(frame(version))
                    == TagReadings(batteryPercent: 12, batteryMillivolts: 2950, temperatureTenths: tenths))
        }
        // Battery and voltage are not measured yet.
        #expect(readings(frame(1, subframe: 1, 0x3FFF, 0xFF)) == TagReadings(temperatureTenths: tenths))
        #expect(readings(frame(3)) == nil && readings(frame(1, subframe: 0)) == nil)
        #expect(readings(Array(frame(1).dropLast())) == nil)
    }

    @Test func `readings are found before and behind a beacon's frame, and from several formats`() {
        let iBeacon = Array(frame.advertisingData.dropFirst(3))
        let battery = serviceData(0x180F, [0x0C])
        #expect(readings(iBeacon + battery) == TagReadings(batteryPercent: 12))
        #expect(readings(battery + iBeacon) == TagReadings(batteryPercent: 12))
        #expect(
            readings(battery + telemetry(2950, 0x8000))
                == TagReadings(batteryPercent: 12, batteryMillivolts: 2950))
        #expect(readings(frame.advertisingData) == nil && readings([]) == nil)
    }

    @Test func `an Eddystone-TLM is still counted as a frame without an identity`() {
        var reader = SightingReader()
        let advertisement = Advertisement(address: DeviceAddress(bits: 1, kind: .random), rssi: nil, at: .zero)
        #expect(reader.read(advertisement, telemetry(2950, 0x1580).span.bytes) == nil)
        #expect(reader.counters[refused: .unsupportedFrame] == 1 && reader.counters.adverts == 1)
    }

    @Test func `newer readings replace those that they have`() {
        var readings = TagReadings(batteryPercent: 12, batteryMillivolts: 2950)
        readings.update(with: TagReadings(batteryPercent: 11, temperatureTenths: 200))
        #expect(readings == TagReadings(batteryPercent: 11, batteryMillivolts: 2950, temperatureTenths: 200))
    }

    @Test func `hostile bytes are read within their ranges, or ignored`() {
        var random = SplitMix64(seed: 45)
        func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
        let valid = [
            telemetry(2950, 0x1580), serviceData(0x180F, [0x0C]),
            serviceData(0xFCD2, [0x40, 0x00, 1, 0x01, 50, 0x02, 0xC8, 0x08, 0x0C, 0x02, 0x0C, 0x45, 0xC9, 0x00]),
        ]
        var (read, ignored) = (0, 0)
        for _ in 0..<100_000 {
            var data = valid[below(valid.count)] + valid[below(valid.count)]
            for _ in 0..<below(4) { data[below(data.count)] = UInt8(below(256)) }
            data = Array(data.prefix(below(8) == 0 ? below(data.count) : data.count))
            guard let readings = readings(data) else {
                ignored += 1
                continue
            }
            read += 1
            #expect(readings.batteryPercent.map { $0 <= 100 } ?? true)
            #expect(readings.batteryMillivolts.map(TagReadings.voltages.contains) ?? true)
            #expect(readings.temperatureTenths.map(TagReadings.temperatures.contains) ?? true)
        }
        #expect(read > 10_000 && ignored > 1000)
    }
}
