import Beacons
import Testing

private let uuid: [UInt8] = [
    0xDA, 0xF2, 0x46, 0xCE, 0x83, 0x63, 0x11, 0xE4, 0xB1, 0x16, 0x12, 0x3B, 0x93, 0xF7, 0x5C, 0xBA,
]
private let flags: [UInt8] = [0x02, 0x01, 0x06]  // length 2, type flags, LE General Discoverable and no BR/EDR
/// An iBeacon's AD structure: length 26, manufacturer data, Apple, type 02, length 15, uuid, major 1, minor 11, -62 dBm.
private let iBeacon: [UInt8] = [0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15] + uuid + [0x00, 0x01, 0x00, 0x0B, 0xC2]

private func read(_ data: [UInt8]) -> Result<BeaconFrame, AdvertisementRefusal> { BeaconFrame.read(data.span.bytes) }

@Suite("Beacon frames")
struct BeaconFrameTests {
    let identity = BeaconIdentity(
        uuid: BeaconUUID("daf246ce-8363-11e4-b116-123b93f75cba")!, major: 1, minor: 11)

    @Test func `an iBeacon of a real tag is read`() {
        #expect(
            read(flags + iBeacon)
                == .success(
                    BeaconFrame(format: .iBeacon, identity: identity, measuredPower: MeasuredPower(dBm: -62))))
    }

    @Test func `an iBeacon is read without flags and with an appended battery level`() {
        let appended: [UInt8] = [0x1B] + iBeacon.dropFirst() + [0x64]  // one byte longer: 100 %
        #expect(read(iBeacon) == read(flags + iBeacon))
        #expect(read(appended) == read(iBeacon))
    }

    @Test func `an AltBeacon of any company is read`() {
        // Length 27, manufacturer data, company 1234, BE AC, 16 + 2 + 2 bytes, -59 dBm, a reserved byte.
        let data: [UInt8] = [0x1B, 0xFF, 0x34, 0x12, 0xBE, 0xAC] + uuid + [0x00, 0x01, 0x00, 0x0B, 0xC5, 0x7F]
        #expect(
            read(flags + data)
                == .success(
                    BeaconFrame(format: .altBeacon, identity: identity, measuredPower: MeasuredPower(dBm: -59))))
    }

    @Test func `an Eddystone-UID's namespace and instance become the uuid, and its power is converted to 1 m`() {
        // Complete list of services: FEAA. Length 23, service data of FEAA, frame UID, -18 dBm at 0 m, 10 + 6 bytes, two reserved.
        let data: [UInt8] = [0x03, 0x03, 0xAA, 0xFE, 0x17, 0x16, 0xAA, 0xFE, 0x00, 0xEE] + uuid + [0x00, 0x00]
        let expected = BeaconFrame(
            format: .eddystoneUID, identity: BeaconIdentity(uuid: identity.uuid, major: 0, minor: 0),
            measuredPower: MeasuredPower(dBm: -59))
        #expect(read(flags + data) == .success(expected))
        // Without the reserved bytes, as some tags have it.
        #expect(read([0x15, 0x16, 0xAA, 0xFE, 0x00, 0xEE] + uuid) == .success(expected))
    }

    @Test(arguments: [(-128, -128), (-88, -128), (-87, -128), (-86, -127), (0, -41), (127, 86)] as [(Int8, Int8)])
    func `an implausible power of an Eddystone does not overflow`(atSender: Int8, atOneMetre: Int8) throws {
        let data: [UInt8] = [0x15, 0x16, 0xAA, 0xFE, 0x00, UInt8(bitPattern: atSender)] + uuid
        #expect(try read(data).get().measuredPower.dBm == atOneMetre)
    }

    @Test func `unknown AD structures before and behind a frame do not hide the frame`() {
        let unknown: [UInt8] = [0x04, 0x7E, 0x01, 0x02, 0x03]  // length 4, an unassigned type
        let empty: [UInt8] = [0x01, 0xFF]  // manufacturer data without even a company
        let other: [UInt8] = [0x05, 0xFF, 0x4C, 0x00, 0x10, 0x05]  // Apple's, of another type
        #expect(read(flags + unknown + empty + other + iBeacon + unknown) == read(iBeacon))
    }

    @Test func `an invalid frame does not hide the valid frame behind it`() {
        let short: [UInt8] = [0x05, 0xFF, 0x4C, 0x00, 0x02, 0x15]  // an iBeacon's prefix and nothing else
        let telemetry: [UInt8] = [0x05, 0x16, 0xAA, 0xFE, 0x20, 0x00]  // Eddystone-TLM
        #expect(read(short + telemetry + iBeacon) == read(iBeacon))
    }

    @Test func `the first of two frames is read`() {
        let second: [UInt8] = iBeacon.dropLast() + [0x00]
        #expect(read(iBeacon + second) == read(iBeacon))
    }

    @Test func `an AD structure of length zero ends the data`() {
        #expect(read(flags + [0x00] + iBeacon) == .failure(.notABeacon))
        #expect(read(iBeacon + [0x00, 0xFF, 0xFF]) == read(iBeacon))
    }

    @Test func `data with a cut AD structure is refused only if no frame precedes that structure`() {
        let cut: [UInt8] = [0x09, 0x09, 0x41]  // a name of 8 bytes, cut after the first
        #expect(read(cut) == .failure(.truncated))
        #expect(read(iBeacon + cut) == read(iBeacon))
        for length in 1..<iBeacon.count {
            #expect(read(flags + iBeacon.prefix(length)) == .failure(.truncated))
        }
    }

    @Test(
        arguments: [
            ([], .notABeacon),
            ([0x02, 0x01, 0x06], .notABeacon),
            // Company 004D: not Apple's, although the rest is equal.
            ([0x1A, 0xFF, 0x4D, 0x00, 0x02, 0x15] + [UInt8](repeating: 0, count: 21), .notABeacon),
            // Bytes before the prefix: Core Location does not recognise this beacon either.
            ([0x1B, 0xFF, 0x4C, 0x00, 0x00, 0x02, 0x15] + [UInt8](repeating: 0, count: 21), .notABeacon),
            // The right prefix in the wrong AD type (16: service data).
            ([0x1A, 0x16, 0x4C, 0x00, 0x02, 0x15] + [UInt8](repeating: 0, count: 21), .notABeacon),
            // An iBeacon that is one byte short; an iBeacon whose length field is too large.
            ([0x19, 0xFF, 0x4C, 0x00, 0x02, 0x15] + [UInt8](repeating: 0, count: 20), .wrongLength),
            ([0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x16] + [UInt8](repeating: 0, count: 21), .wrongLength),
            // An AltBeacon one byte short, and one too long.
            ([0x1A, 0xFF, 0x18, 0x01, 0xBE, 0xAC] + [UInt8](repeating: 0, count: 21), .wrongLength),
            ([0x1C, 0xFF, 0x18, 0x01, 0xBE, 0xAC] + [UInt8](repeating: 0, count: 23), .wrongLength),
            // An Eddystone-UID one byte short.
            ([0x14, 0x16, 0xAA, 0xFE, 0x00, 0xEE] + [UInt8](repeating: 0, count: 15), .wrongLength),
            // Eddystone-URL, -TLM, -EID.
            ([0x06, 0x16, 0xAA, 0xFE, 0x10, 0xEE, 0x00], .unsupportedFrame),
            ([0x05, 0x16, 0xAA, 0xFE, 0x20, 0x00], .unsupportedFrame),
            ([0x05, 0x16, 0xAA, 0xFE, 0x30, 0xEE], .unsupportedFrame),
            // Service data of FEAA with no frame in it.
            ([0x03, 0x16, 0xAA, 0xFE], .notABeacon),
        ] as [([UInt8], AdvertisementRefusal)])
    func `invalid data is refused by the name of its fault`(data: [UInt8], refusal: AdvertisementRefusal) {
        #expect(read(data) == .failure(refusal))
    }

    @Test(arguments: BeaconFrame.Format.allCases)
    func `a written frame is read back and fits into an advertisement`(format: BeaconFrame.Format) {
        let identity = format == .eddystoneUID ? BeaconIdentity(uuid: identity.uuid, major: 0, minor: 0) : identity
        for dBm: Int8 in [-128, -87, -59, 0] {
            let frame = BeaconFrame(format: format, identity: identity, measuredPower: MeasuredPower(dBm: dBm))
            #expect(read(frame.advertisingData) == .success(frame))
            #expect(frame.advertisingData.count <= 31)
        }
    }

    @Test func `a written iBeacon has the bytes of a real tag's iBeacon`() {
        let frame = BeaconFrame(format: .iBeacon, identity: identity, measuredPower: MeasuredPower(dBm: -62))
        #expect(frame.advertisingData == flags + iBeacon)
    }

    @Test func `a power beyond Eddystone's range is written as the strongest possible power`() throws {
        let frame = BeaconFrame(format: .eddystoneUID, identity: identity, measuredPower: MeasuredPower(dBm: 127))
        #expect(try read(frame.advertisingData).get().measuredPower.dBm == 86)  // 127 at 0 m
    }
}
