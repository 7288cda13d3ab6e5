import Beacons

extension House {
    /// What sends advertisements, be it a tag or a telephone: how often, how strongly, from where.
    public struct Transmitter: Hashable, Sendable {
        /// What moves it.
        public enum Motion: Hashable, Sendable {
            /// Nothing.
            case rests(Position)
            /// A person, by index, so many metres above the floor; it hangs on his body so many radians to the left of where he faces.
            case carried(by: Int, height: Double, side: Double)
        }

        /// Which address it sends from.
        public enum Address: Hashable, Sendable {
            /// Always the same.
            case fixed(DeviceAddress)
            /// A resolvable private one, drawn anew each time that this interval has passed.
            case rotating(seed: UInt64, every: Interval)
        }

        /// From one advertising event to the next, without the 0 to 10 ms that the specification adds each time (Core 5.4, Vol 6, B 4.4.2.2.1).
        public var interval: Interval
        /// What it really gives in dBm at 1 m, in the open.
        public var power: Double
        /// What moves it.
        public var motion: Motion
        /// Which address it sends from.
        public var address: Address

        package init(interval: Interval, power: Double, motion: Motion, address: Address) {
            self.interval = interval
            self.power = power
            self.motion = motion
            self.address = address
        }

        /// The address from which it sends at that time.
        public func address(at time: HouseTime) -> DeviceAddress {
            switch address {
            case .fixed(let address): return address
            case .rotating(let seed, let interval):
                let bits = Seed(seed)[Transmitter.turn(at: time, seed: seed, every: interval)].bits
                return DeviceAddress(bits: bits & 0x3FFF_FFFF_FFFF | 0x4000_0000_0000, kind: .random)
            }
        }

        /// How often something that changes every `interval` has changed; what has another seed does so at other times.
        static func turn(at time: HouseTime, seed: UInt64, every interval: Interval) -> Int64 {
            let phase = Int64(Seed(seed).unit * Double(interval.nanoseconds))
            return (time.nanoseconds + phase).divided(by: interval.nanoseconds)
        }
    }

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

        package init(
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

    /// A device nearby that advertises and is no beacon: most of what an adapter receives.
    public struct Bystander: Hashable, Sendable {
        /// What it is, and so what it sends.
        public enum Kind: Hashable, Sendable, CaseIterable {
            /// Apple's nearby information, from an address that changes every quarter of an hour.
            case phone
            /// A name and a maker's data, from a public address.
            case television
            /// Microsoft's beacon of a Windows machine: as long as an iBeacon, and none.
            case laptop
            /// A heart-rate service and a name.
            case watch
            /// Apple's offline finding: its maker and its length are almost an iBeacon's.
            case findable
            /// Service data that changes every minute.
            case thermometer
            /// A scan response with a name alone.
            case headphones
        }

        /// What it is.
        public var kind: Kind
        /// From this its changing bytes are drawn.
        public var seed: UInt64
        /// How it sends.
        public var transmitter: Transmitter

        /// The PDU's type as the controller reports it (Core 5.4, Vol 4, E 7.7.65.2).
        var eventType: UInt8 {
            switch kind {
            case .phone, .television, .watch: 0x00  // ADV_IND
            case .laptop, .findable, .thermometer: 0x03  // ADV_NONCONN_IND
            case .headphones: 0x04  // SCAN_RSP
            }
        }

        /// What it sends at that time: AD structures, 31 bytes at most.
        public func advertisingData(at time: HouseTime) -> [UInt8] {
            let every: Interval = kind == .thermometer ? .seconds(60) : Bystander.rotation
            var random = Seed(seed)[.data][Transmitter.turn(at: time, seed: seed, every: every)].generator
            func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
            switch kind {
            case .phone:
                return [0x02, 0x01, 0x1A, 0x02, 0x0A, 0x0C, 0x0B, 0xFF, 0x4C, 0x00, 0x10, 0x06] + bytes(6)
            case .television:
                return [0x02, 0x01, 0x06, 0x06, 0xFF, 0x75, 0x00, 0x42, 0x04, 0x01] + name("Television")
            case .laptop:
                return [0x1E, 0xFF, 0x06, 0x00, 0x01, 0x09, 0x20, 0x02] + bytes(23)
            case .watch:
                return [0x02, 0x01, 0x06, 0x03, 0x03, 0x0D, 0x18] + name("Watch")
            case .findable:
                return [0x1E, 0xFF, 0x4C, 0x00, 0x12, 0x19, 0x10] + bytes(24)
            case .thermometer:
                return [0x02, 0x01, 0x06, 0x10, 0x16, 0x1A, 0x18] + bytes(13)
            case .headphones:
                return name("Headphones")
            }
        }

        /// How long a private address stays the same (Core 5.4, Vol 3, C appendix A: a quarter of an hour).
        static let rotation = Interval.seconds(900)

        /// An AD structure of type 0x09, Complete Local Name.
        private func name(_ text: String) -> [UInt8] { [UInt8(text.utf8.count + 1), 0x09] + Array(text.utf8) }
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
        for shift in stride(from: type(of: value).bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
