import Beacons
import HCI

/// What a gateway in a busy place receives, made from a seed: 30 % iBeacons of 200 identities, 70 % of what else is on the air.
struct Corpus {
    /// H4 event packets, one after the other.
    private(set) var bytes: [UInt8] = []
    /// The offset of each packet.
    private(set) var packets: [Range<Int>] = []
    /// How many advertisements they report.
    private(set) var adverts = 0

    /// `adverts` advertisements, up to `reportsPerEvent` of them in one packet, as many as fit.
    init(adverts: Int, reportsPerEvent: Int, seed: UInt64 = 1) {
        var random = SplitMix64(seed: seed)
        let beacons = (0..<200).map { _ in
            BeaconFrame(
                format: .iBeacon,
                identity: BeaconIdentity(
                    uuid: BeaconUUID(high: 0xDAF2_46CE_8363_11E4, low: 0xB116_123B_93F7_5CBA),
                    major: .random(in: 0...20, using: &random), minor: .random(in: 0 ... .max, using: &random)),
                measuredPower: MeasuredPower(dBm: .random(in: -70 ... -50, using: &random)))
        }
        var event: [HCIPacket.Report] = []
        for _ in 0..<adverts {
            let data =
                Int.random(in: 0..<100, using: &random) < 30
                ? beacons.randomElement(using: &random)!.advertisingData : Self.somethingElse(&random)
            let report = HCIPacket.Report(
                address: DeviceAddress(
                    bits: .random(in: 0 ... .max, using: &random), kind: Bool.random(using: &random) ? .random : .public
                ),
                rssi: RSSI(dBm: .random(in: -100 ... -40, using: &random)), data: data)
            let length = event.reduce(2) { $0 + 10 + $1.data.count }
            if event.count == reportsPerEvent || length + 10 + data.count > 255 {
                append(event)
                event = []
            }
            event.append(report)
        }
        append(event)
    }

    private mutating func append(_ event: [HCIPacket.Report]) {
        guard !event.isEmpty else { return }
        let packet = HCIPacket.advertisingReports(event)
        packets.append(bytes.count..<bytes.count + packet.count)
        bytes += packet
        adverts += event.count
    }

    /// What phones, earbuds, watches, sensors, televisions and tags of other kinds send, as far as its shape goes.
    private static func somethingElse(_ random: inout SplitMix64) -> [UInt8] {
        let flags: [UInt8] = [0x02, ADType.flags, 0x1A]
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1:  // Apple's «nearby»: flags, TX power, company 004C, type 10.
            let power: [UInt8] = [0x02, 0x0A, 0x0C]
            return flags + power + [0x0A, ADType.manufacturerData, 0x4C, 0x00, 0x10, 0x05] + random.bytes(5)
        case 2:  // Apple's «find my»: company 004C, type 12, 25 bytes.
            return [0x1E, ADType.manufacturerData, 0x4C, 0x00, 0x12, 0x19] + random.bytes(25)
        case 3:  // Microsoft's beacon of a laptop: company 0006.
            return [0x1E, ADType.manufacturerData, 0x06, 0x00, 0x01, 0x09, 0x20, 0x02] + random.bytes(23)
        case 4:  // Google's fast pair and exposure notification: service data of FD6F.
            return [
                0x02, ADType.flags, 0x1A, 0x03, ADType.completeServices16, 0x6F, 0xFD, 0x17, ADType.serviceData16, 0x6F,
                0xFD,
            ]
                + random.bytes(20)
        case 5:  // A sensor with its name and service data (BTHome, FCD2).
            return flags + [0x0B, ADType.serviceData16, 0xD2, 0xFC, 0x40] + random.bytes(7)
                + [0x09, ADType.completeName] + Array("ATC_1A2B".utf8)
        case 6:  // A television: services, and a shortened name.
            return flags + [0x03, ADType.completeServices16, 0x0A, 0x18, 0x0C, ADType.shortenedName]
                + Array("[TV] Living".utf8)
        case 7:  // Somebody's manufacturer data behind a service.
            return flags + [0x03, 0x02, 0x0D, 0x18, 0x0F, ADType.manufacturerData, 0x75, 0x00, 0x42, 0x04]
                + random.bytes(10)
        case 8:  // A 128-bit service.
            return flags + [0x11, 0x07] + random.bytes(16)
        default:  // Flags and nothing else; nothing at all.
            return Bool.random(using: &random) ? flags : []
        }
    }
}

extension SplitMix64 {
    fileprivate mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }
}
