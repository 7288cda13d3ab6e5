/// Apple's iBeacon, as a manufacturer's AD structure (Proximity Beacon Specification R1):
///
///       0        1      2    3     4      5        6 ... 21   22 23   24 25   26
///     +--------+------+-----------+------+--------+----------+-------+-------+----------------+
///     | 0x1A   | 0xFF | 4C 00     | 0x02 | 0x15   | uuid     | major | minor | measured power |
///     +--------+------+-----------+------+--------+----------+-------+-------+----------------+
///                       Apple       type   length   big-endian                 Int8, dBm at 1 m
///
/// Only a structure that begins with 4C 00 02 15 is an iBeacon. Bytes behind the measured power, such as a tag's
/// battery level, are ignored.
@usableFromInline
enum IBeaconLayout {
    /// The number of bytes from Apple's company id to the measured power.
    @usableFromInline static let length = 25

    @inlinable @inline(__always)
    static func begins(_ structure: ADStructure, in data: RawSpan) -> Bool {
        structure.content.count >= 3 && data.byte(at: structure.content.lowerBound) == 0x4C
            && data.byte(at: structure.content.lowerBound + 1) == 0x00
            && data.byte(at: structure.content.lowerBound + 2) == 0x02
    }

    @inlinable @inline(__always)
    static func read(_ structure: ADStructure, in data: RawSpan) -> Result<BeaconFrame, AdvertisementRefusal> {
        let start = structure.content.lowerBound
        guard structure.content.count >= length, data.byte(at: start + 3) == 0x15 else { return .failure(.wrongLength) }
        return .success(
            BeaconFrame(
                format: .iBeacon,
                identity: BeaconIdentity(
                    uuid: BeaconUUID(data, at: start + 4), major: data.bigEndian(at: start + 20),
                    minor: data.bigEndian(at: start + 22)),
                measuredPower: MeasuredPower(dBm: Int8(bitPattern: data.byte(at: start + 24)))))
    }

    static func data(of frame: BeaconFrame) -> [UInt8] {
        var data: [UInt8] = BeaconFrame.flags
        data += [0x1A, ADType.manufacturerData, 0x4C, 0x00, 0x02, 0x15]
        data += frame.identity.bytes
        data += frame.measuredPower.dBm.bigEndianBytes
        return data
    }
}

extension BeaconIdentity {
    /// The 20 bytes of uuid, major and minor, in the order that iBeacon and AltBeacon share.
    var bytes: [UInt8] {
        var bytes: [UInt8] = uuid.bytes
        bytes += major.bigEndianBytes
        bytes += minor.bigEndianBytes
        return bytes
    }
}
