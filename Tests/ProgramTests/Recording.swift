import Beacons
import Glibc
import HCI
import Linux
import Simulation
import TestBroker

/// What one gateway of the simulated house receives, in a file, and what is in it, counted without our decoder.
struct Recording {
    let path: String
    /// Reports in it.
    private(set) var reports: UInt64 = 0
    /// How often each beacon is in it.
    private(set) var beacons: [BeaconIdentity: UInt64] = [:]

    var sightings: UInt64 { beacons.values.reduce(0, +) }

    /// Writes one; it begins in the early morning of a certain day, when everybody is at home.
    init(in folder: TestFolder, lasting span: Interval) throws {
        path = folder.path("recording.btsnoop")
        let start = HouseTime(WallTime("2026-11-21T05:40:00Z")!)
        var receiver = SimulatedReceiver(house: House(seed: 1), gateway: "kitchen", room: "Kitchen", from: start)
        var file = BtsnoopWriter.header
        var packets: [[UInt8]] = []
        receiver.advance(to: start + span) { packet, time in
            BtsnoopWriter.append(packet, at: CaptureTime(microseconds: time.nanoseconds / 1000), to: &file)
            packets.append(packet.withUnsafeBytes { Array($0) })
        }
        for packet in packets { count(packet) }
        try replaceFile(at: path, with: file)
    }

    /// 04 3E length 02 reports { eventType addressType address[6] dataLength data[] rssi }...
    private mutating func count(_ packet: [UInt8]) {
        reports += UInt64(packet[4])
        var place = 5
        for _ in 0..<packet[4] {
            let length = Int(packet[place + 8])
            let data = Array(packet[place + 9..<place + 9 + length])
            place += 10 + length
            // Flags, then manufacturer data: Apple, iBeacon; uuid[16] major[2] minor[2] measured power.
            guard data.count == 30, data.starts(with: [0x02, 0x01, 0x06, 0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15]) else {
                continue
            }
            let beacon = BeaconIdentity(
                uuid: House.uuid, major: UInt16(data[25]) << 8 | UInt16(data[26]),
                minor: UInt16(data[27]) << 8 | UInt16(data[28]))
            beacons[beacon, default: 0] += 1
        }
    }
}

extension Recording {
    /// A real recording beside the repository, or in the folder that FORGETMENOT_DATA names.
    static let scanner: String = {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let folder = getenv("FORGETMENOT_DATA").map { String(cString: $0) } ?? root + "/../shared/data"
        return folder + "/captures/pi-scanner.btsnoop"
    }()
}
