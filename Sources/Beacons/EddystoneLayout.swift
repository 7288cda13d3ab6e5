/// Google's Eddystone-UID, as service data (Eddystone Protocol Specification, eddystone-uid):
///
///       0        1      2    3     4       5              6 ... 15    16 ... 21   22 23
///     +--------+------+-----------+-------+--------------+-----------+-----------+----------+
///     | 0x17   | 0x16 | AA FE     | 0x00  | ranging data | namespace | instance  | reserved |
///     +--------+------+-----------+-------+--------------+-----------+-----------+----------+
///                       0xFEAA      frame   Int8, dBm      uuid: these sixteen     may lack
///                                   type    at 0 m         bytes
///
/// Other frame types are Eddystone's too, and name nobody: 0x10 URL, 0x20 TLM, 0x30 EID.
@usableFromInline
enum EddystoneLayout {
    @usableFromInline static let service: UInt16 = 0xFEAA
    @usableFromInline static let uidFrame: UInt8 = 0x00
    /// From the service's UUID to the instance.
    @usableFromInline static let length = 20
    /// What is lost on the first metre, in dB: the specification's own figure between the powers at 0 m and at 1 m.
    @usableFromInline static let firstMetre: Int8 = 41

    @inlinable @inline(__always)
    static func begins(_ structure: ADStructure, in data: RawSpan) -> Bool {
        structure.content.count >= 3 && data.littleEndian(at: structure.content.lowerBound) == service
    }

    @inlinable @inline(__always)
    static func read(_ structure: ADStructure, in data: RawSpan) -> Result<BeaconFrame, Refusal> {
        let start = structure.content.lowerBound
        guard data.byte(at: start + 2) == uidFrame else { return .failure(.unsupportedFrame) }
        guard structure.content.count >= length else { return .failure(.wrongLength) }
        let atSender = Int8(bitPattern: data.byte(at: start + 3))
        // Below -87 dBm at 0 m the difference leaves Int8; its end is as implausible as what it stands for.
        let (difference, overflow) = atSender.subtractingReportingOverflow(firstMetre)
        return .success(
            BeaconFrame(
                format: .eddystoneUID,
                identity: BeaconIdentity(uuid: BeaconUUID(data, at: start + 4), major: 0, minor: 0),
                measuredPower: MeasuredPower(dBm: overflow ? .min : difference)))
    }

    /// The specification asks for the service's UUID in the list of services as well.
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
