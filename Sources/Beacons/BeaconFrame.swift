/// What one beacon says of itself in one advertisement: the frame, read from an advertisement's data or to be written into one.
public struct BeaconFrame: Hashable, Sendable {
    /// The forms in which beacons say who they are.
    public enum Format: String, CaseIterable, Sendable {
        /// Apple's.
        case iBeacon = "ibeacon"
        /// Radius Networks', open to every company.
        case altBeacon = "altbeacon"
        /// Google's: ten bytes of namespace and six of instance.
        case eddystoneUID = "eddystone_uid"
    }

    /// The form it came in.
    public var format: Format
    /// Who sent it.
    public var identity: BeaconIdentity
    /// What it claims to give at 1 m.
    public var measuredPower: MeasuredPower

    /// A frame with all its properties.
    @inlinable
    public init(format: Format, identity: BeaconIdentity, measuredPower: MeasuredPower) {
        self.format = format
        self.identity = identity
        self.measuredPower = measuredPower
    }

    /// Finds the first beacon's frame in an advertisement's `data`, behind and among whatever else it carries.
    ///
    /// An AD structure that is unknown, or that resembles a frame and is none, never costs the ones after it. One whose length runs past
    /// the end is refused as `truncated` only if no frame stood before it.
    @inlinable
    public static func read(_ data: RawSpan) -> Result<BeaconFrame, Refusal> {
        var structures = ADStructures()
        var refusal = Refusal.notABeacon
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
    static func read(_ structure: ADStructure, in data: RawSpan) -> Result<BeaconFrame, Refusal> {
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

    /// An advertisement's whole data that says this: flags, then the frame. 30 bytes, 31 for Eddystone-UID, which cannot say major and minor.
    public var advertisingData: [UInt8] {
        switch format {
        case .iBeacon: IBeaconLayout.data(of: self)
        case .altBeacon: AltBeaconLayout.data(of: self)
        case .eddystoneUID: EddystoneLayout.data(of: self)
        }
    }
}

extension BeaconFrame {
    /// LE General Discoverable Mode, BR/EDR Not Supported: what every beacon's data begins with.
    static let flags: [UInt8] = [0x02, ADType.flags, 0x06]
}

extension BeaconUUID {
    /// The UUID whose 16 bytes begin at `offset`.
    @inlinable @inline(__always)
    init(_ data: RawSpan, at offset: Int) {
        self.init(high: data.bigEndian(at: offset), low: data.bigEndian(at: offset + 8))
    }

    /// Its 16 bytes, in the order of its text.
    var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }
}
