/// AltBeacon, as a manufacturer's AD structure of any company (AltBeacon Protocol Specification 1.0):
///
///       0        1      2    3     4    5      6 ... 21   22 23   24 25   26               27
///     +--------+------+-----------+-----------+----------+-------+-------+----------------+----------+
///     | 0x1B   | 0xFF | company   | BE AC     | 16 bytes | 2     | 2     | reference RSSI | reserved |
///     +--------+------+-----------+-----------+----------+-------+-------+----------------+----------+
///                                               uuid       major   minor   Int8, dBm at 1 m
///
/// Only the length that the specification fixes separates an AltBeacon from another company's data with BE AC in this
/// position.
@usableFromInline
enum AltBeaconLayout {
    /// The number of bytes from the company id to the reserved byte.
    @usableFromInline static let length = 26

    @inlinable @inline(__always)
    static func begins(_ structure: ADStructure, in data: RawSpan) -> Bool {
        structure.content.count >= 4 && data.bigEndian(at: structure.content.lowerBound + 2, as: UInt16.self) == 0xBEAC
    }

    @inlinable @inline(__always)
    static func read(_ structure: ADStructure, in data: RawSpan) -> Result<BeaconFrame, AdvertisementRefusal> {
        let start = structure.content.lowerBound
        guard structure.content.count == length else { return .failure(.wrongLength) }
        return .success(
            BeaconFrame(
                format: .altBeacon,
                identity: BeaconIdentity(
                    uuid: BeaconUUID(data, at: start + 4), major: data.bigEndian(at: start + 20),
                    minor: data.bigEndian(at: start + 22)),
                measuredPower: MeasuredPower(dBm: Int8(bitPattern: data.byte(at: start + 24)))))
    }

    /// The advertising data of `frame`, with Radius Networks' company id, 0x0118.
    static func data(of frame: BeaconFrame) -> [UInt8] {
        var data: [UInt8] = BeaconFrame.flags
        data += [0x1B, ADType.manufacturerData, 0x18, 0x01, 0xBE, 0xAC]
        data += frame.identity.bytes
        data += frame.measuredPower.dBm.bigEndianBytes
        data.append(0x00)
        return data
    }
}
