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
        /// Whether it reports its battery, which runs down within 17 minutes and is replaced 3 minutes later.
        public var reportsBattery = false

        /// A tag with all its properties.
        public init(
            name: String, beacon: BeaconIdentity, measuredPower: MeasuredPower, transmitter: Transmitter,
            reportsBattery: Bool = false
        ) {
            self.name = name
            self.beacon = beacon
            self.measuredPower = measuredPower
            self.transmitter = transmitter
            self.reportsBattery = reportsBattery
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

        /// What it sends at that time; `nil`: its battery is empty.
        ///
        /// A tag that reports its battery sends that in place of the beacon for the last 4 s of each minute. A full hour begins with a full battery, a
        /// minute takes 6 %, and each 20 minutes there is a new one.
        func advertisingData(at time: HouseTime) -> [UInt8]? {
            guard reportsBattery else { return advertisingData }
            let seconds = time.nanoseconds.divided(by: 1_000_000_000)
            let minute = (seconds - seconds.divided(by: 1200) * 1200) / 60
            guard minute < 17 else { return nil }
            guard seconds - seconds.divided(by: 60) * 60 >= 56 else { return advertisingData }
            return [0x02, 0x01, 0x06, 0x04, 0x16, 0x0F, 0x18, UInt8(100 - minute * 6)]
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
