/// A beacon's frame: format, identity and measured power, as one advertisement carries them.
public struct BeaconFrame: Hashable, Sendable {
    /// The formats of beacon frames.
    public enum Format: String, CaseIterable, Sendable {
        /// Apple's format.
        case iBeacon = "ibeacon"
        /// Radius Networks' format, open to every company.
        case altBeacon = "altbeacon"
        /// Google's format: ten bytes of namespace and six bytes of instance.
        case eddystoneUID = "eddystone_uid"
    }

    /// The format of the frame.
    public var format: Format
    /// The identity of the beacon.
    public var identity: BeaconIdentity
    /// The RSSI that the beacon claims to give at 1 m.
    public var measuredPower: MeasuredPower

    /// Creates a frame from all its properties.
    @inlinable
    public init(format: Format, identity: BeaconIdentity, measuredPower: MeasuredPower) {
        self.format = format
        self.identity = identity
        self.measuredPower = measuredPower
    }

    /// Returns the first beacon frame in an advertisement's `data`.
    ///
    /// `read` skips AD structures that are unknown or only resemble a frame, and continues with the next structure. If
    /// a structure's length exceeds the data, `read` fails with `truncated` unless it has found a frame before.
    @inlinable
    public static func read(_ data: RawSpan) -> Result<BeaconFrame, AdvertisementRefusal> {
        var structures = ADStructures()
        var refusal = AdvertisementRefusal.notABeacon
        while let structure = structures.next(in: data) {
            switch read(structure, in: data) {
            case .success(let frame): return .success(frame)
            case .failure(.notABeacon): continue
            case .failure(let reason): refusal = reason
            }
        }
        return .failure(structures.isCut ? .truncated : refusal)
    }

    @inlinable @inline(__always)
    static func read(_ structure: ADStructure, in data: RawSpan) -> Result<BeaconFrame, AdvertisementRefusal> {
        switch structure.type {
        case ADType.manufacturerData:
            if IBeaconLayout.begins(structure, in: data) { return IBeaconLayout.read(structure, in: data) }
            if AltBeaconLayout.begins(structure, in: data) { return AltBeaconLayout.read(structure, in: data) }
            return .failure(.notABeacon)
        case ADType.serviceData16 where EddystoneLayout.begins(structure, in: data):
            return EddystoneLayout.read(structure, in: data)
        default:
            return .failure(.notABeacon)
        }
    }

    /// The complete advertising data for this frame: flags, then the frame. It has 30 bytes, or 31 for Eddystone-UID,
    /// which carries no major and minor.
    public var advertisingData: [UInt8] {
        switch format {
        case .iBeacon: IBeaconLayout.data(of: self)
        case .altBeacon: AltBeaconLayout.data(of: self)
        case .eddystoneUID: EddystoneLayout.data(of: self)
        }
    }

    /// The flags that every beacon's data begins with: LE General Discoverable Mode, BR/EDR Not Supported.
    static let flags: [UInt8] = [0x02, ADType.flags, 0x06]
}

extension BeaconUUID {
    /// The UUID whose 16 bytes begin at `offset`.
    @inlinable @inline(__always)
    init(_ data: RawSpan, at offset: Int) {
        self.init(high: data.bigEndian(at: offset), low: data.bigEndian(at: offset + 8))
    }

    /// The 16 bytes of the UUID, in the order of its text.
    var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }
}
