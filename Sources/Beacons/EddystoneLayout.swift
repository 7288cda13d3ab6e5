/// Google's Eddystone-UID, as service data (Eddystone Protocol Specification, eddystone-uid):
///
///       0        1      2    3     4       5              6 ... 15    16 ... 21   22 23
///     +--------+------+-----------+-------+--------------+-----------+-----------+----------+
///     | 0x17   | 0x16 | AA FE     | 0x00  | ranging data | namespace | instance  | reserved |
///     +--------+------+-----------+-------+--------------+-----------+-----------+----------+
///                       0xFEAA      frame   Int8, dBm      uuid: these sixteen     may lack
///                                   type    at 0 m         bytes
///
/// Eddystone's other frame types carry no identity: 0x10 URL, 0x20 TLM, 0x30 EID.
@usableFromInline
enum EddystoneLayout {
    @usableFromInline static let service: UInt16 = 0xFEAA
    @usableFromInline static let uidFrame: UInt8 = 0x00
    /// The number of bytes from the service's UUID to the instance.
    @usableFromInline static let length = 20
    /// The specification's difference in dB between the power at 0 m and at 1 m.
    @usableFromInline static let firstMetre: Int8 = 41

    @inlinable @inline(__always)
    static func begins(_ structure: ADStructure, in data: RawSpan) -> Bool {
        structure.content.count >= 3 && data.littleEndian(at: structure.content.lowerBound) == service
    }

    @inlinable @inline(__always)
    static func read(_ structure: ADStructure, in data: RawSpan) -> Result<BeaconFrame, AdvertisementRefusal> {
        let start = structure.content.lowerBound
        guard data.byte(at: start + 2) == uidFrame else { return .failure(.unsupportedFrame) }
        guard structure.content.count >= length else { return .failure(.wrongLength) }
        let atSender = Int8(bitPattern: data.byte(at: start + 3))
        // Below -87 dBm at 0 m the difference exceeds Int8. The end of Int8 is as implausible as the exact value.
        let (difference, overflow) = atSender.subtractingReportingOverflow(firstMetre)
        return .success(
            BeaconFrame(
                format: .eddystoneUID,
                identity: BeaconIdentity(uuid: BeaconUUID(data, at: start + 4), major: 0, minor: 0),
                measuredPower: MeasuredPower(dBm: overflow ? .min : difference)))
    }

    /// The advertising data of `frame`. The specification requires the service's UUID in the list of services, too.
    static func data(of frame: BeaconFrame) -> [UInt8] {
        let (sum, overflow) = frame.measuredPower.dBm.addingReportingOverflow(firstMetre)
        let atSender: Int8 = overflow ? .max : sum
        var data: [UInt8] = BeaconFrame.flags
        data += [0x03, ADType.completeServices16, 0xAA, 0xFE]
        data += [0x17, ADType.serviceData16, 0xAA, 0xFE, uidFrame]
        data += atSender.bigEndianBytes
        data += frame.identity.uuid.bytes
        data += [0x00, 0x00]
        return data
    }
}
