import Beacons
import Glibc
import HCI
import Linux
import Simulation
import TestBroker

/// The radio of one gateway, which a test steers while it plays: a recording of a second that comes again and again, and that is written
/// over between two turns. The tag has the RSSI that the test wants, and a stranger is always there, weakly.
final class SteeredRadio {
    /// The lines of the gateway's `[radio]`.
    let lines: String
    private let path: String

    /// A radio that does not receive the tag yet.
    init(in folder: TestFolder, _ name: String, tag: BeaconIdentity) throws {
        lines = "source = \"capture:\(name).btsnoop\"\nat_end = \"loop\""
        path = folder.path("\(name).btsnoop")
        self.tag = tag
        try replaceFile(at: path, with: recording(tagAt: nil))
    }

    private let tag: BeaconIdentity

    /// From its next turn on, within two seconds, the radio receives the tag with this RSSI; `nil`: not at all.
    func receive(at rssi: Int8?) throws {
        // In place: the gateway has the file open. The file always has the same length, so that no turn finds half of it.
        let number = open(path, O_WRONLY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError.last("open \(path)") }
        let file = FileDescriptor(owning: number)
        let bytes = recording(tagAt: rssi)
        let count = bytes.withUnsafeBytes { pwrite(file.number, $0.baseAddress!, $0.count, 0) }
        guard count == bytes.count else { throw SystemError.last("write \(path)") }
    }

    private func recording(tagAt rssi: Int8?) -> [UInt8] {
        var file = BtsnoopWriter.header
        let stranger = BeaconIdentity(uuid: House.uuid, major: 99, minor: 99)
        for turn in 0..<10 {
            for (beacon, rssi) in [(stranger, -90), (rssi == nil ? stranger : tag, rssi ?? -90)] {
                let packet = Self.report(of: beacon, rssi: rssi)
                BtsnoopWriter.append(
                    packet.span.bytes, at: CaptureTime(microseconds: Int64(turn) * 100_000), to: &file)
            }
        }
        return file
    }

    /// 04 3E length 02 reports { eventType addressType address[6] dataLength data[] rssi }
    static func report(of beacon: BeaconIdentity, rssi: Int8) -> [UInt8] {
        let data = BeaconFrame(format: .iBeacon, identity: beacon, measuredPower: MeasuredPower(dBm: -59))
            .advertisingData
        var bytes: [UInt8] = [
            0x04, 0x3E, 0, 0x02, 0x01, 0x03, 0x01, UInt8(truncatingIfNeeded: beacon.minor), 2, 3, 4, 5, 0xC6,
        ]
        bytes.append(UInt8(data.count))
        bytes += data
        bytes.append(UInt8(bitPattern: rssi))
        bytes[2] = UInt8(bytes.count - 3)
        return bytes
    }
}
