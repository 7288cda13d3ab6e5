import Beacons

extension House {
    /// One item that carries a beacon.
    public struct Tag: Hashable, Sendable {
        /// What people call the item.
        public var name: String
        /// The beacon that it sends.
        public var beacon: BeaconIdentity
        /// What that beacon claims to give at 1 m.
        public var measuredPower: MeasuredPower
        /// How it sends.
        public var transmitter: Transmitter

        /// A tag with all its properties.
        public init(name: String, beacon: BeaconIdentity, measuredPower: MeasuredPower, transmitter: Transmitter) {
            self.name = name
            self.beacon = beacon
            self.measuredPower = measuredPower
            self.transmitter = transmitter
        }

        /// The name made an id: `laptop-bag`.
        public var id: String { House.id(of: name) }

        /// Flags, and Apple's manufacturer data with an iBeacon in it: 30 bytes.
        public var advertisingData: [UInt8] {
            var data: [UInt8] = [0x02, 0x01, 0x06, 0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15]
            data.append(bigEndian: beacon.uuid.high)
            data.append(bigEndian: beacon.uuid.low)
            data.append(bigEndian: beacon.major)
            data.append(bigEndian: beacon.minor)
            data.append(UInt8(bitPattern: measuredPower.dBm))
            return data
        }
    }

    /// The uuid of every tag of a simulated house; its first bytes read «forgetMe.ot».
    public static let uuid = BeaconUUID(high: 0x666F_7267_6574_4D65, low: 0x8E6F_7400_0000_0001)
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
        for shift in stride(from: type(of: value).bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
