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

        /// A transmitter with all its properties.
        public init(interval: Interval, power: Double, motion: Motion, address: Address) {
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
}
