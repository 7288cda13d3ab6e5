import Beacons
import HCI
import Linux

/// What one gateway receives: tags that come and go, each at random times of its own, and a stranger that is always there.
struct TagRecording {
    static let uuid = BeaconUUID("f0e1d2c3-b4a5-4697-8877-665544332211")!
    /// When the recordings begin; a gateway that starts later begins later in it.
    static let start = WallTime("2026-11-21T05:40:00Z")!

    /// Writes it to `path`; all tags have gone before its end. Returns when each tag came and went, in seconds from the beginning.
    static func write(
        to path: String, gateway: Int, tags: Int, seconds: Double, using generator: inout some RandomNumberGenerator
    ) throws(SystemError) -> [[ClosedRange<Double>]] {
        var stays: [[ClosedRange<Double>]] = []
        var received: [(at: Double, tag: Int)] = []
        for tag in 1...tags {
            stays.append([])
            var time = Double.random(in: 0..<4, using: &generator)
            while time < seconds - 4 {
                let end = min(seconds - 4, time + Double.random(in: 3..<10, using: &generator))
                stays[tag - 1].append(time...end)
                while time < end {
                    received.append((time, tag))
                    time += 0.2 + Double.random(in: 0..<0.01, using: &generator)
                }
                time += Double.random(in: 5..<12, using: &generator)
            }
        }
        for turn in 0..<Int(seconds * 2) { received.append((Double(turn) / 2, 99)) }
        received.sort { $0.at < $1.at }
        var file = BtsnoopWriter.header
        for (at, tag) in received {
            let beacon = identity(gateway: gateway, tag: tag)
            let time = (start + .seconds(at)).milliseconds * 1000
            BtsnoopWriter.append(
                report(of: beacon).span.bytes, at: CaptureTime(microseconds: time), to: &file)
        }
        try replaceFile(at: path, with: file)
        return stays
    }

    static func identity(gateway: Int, tag: Int) -> BeaconIdentity {
        BeaconIdentity(uuid: uuid, major: UInt16(gateway), minor: UInt16(tag))
    }

    /// 04 3E length 02 reports { eventType addressType address[6] dataLength data[] rssi }
    private static func report(of beacon: BeaconIdentity) -> [UInt8] {
        let data = BeaconFrame(format: .iBeacon, identity: beacon, measuredPower: MeasuredPower(dBm: -59))
            .advertisingData
        var bytes: [UInt8] = [
            0x04, 0x3E, 0, 0x02, 0x01, 0x03, 0x01, UInt8(truncatingIfNeeded: beacon.minor), 2, 3, 4, 5, 0xC6,
        ]
        bytes.append(UInt8(data.count))
        bytes += data
        bytes.append(UInt8(bitPattern: -60))
        bytes[2] = UInt8(bytes.count - 3)
        return bytes
    }
}
