import Beacons

extension House {
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

        /// A bystander with all its properties.
        public init(kind: Kind, seed: UInt64, transmitter: Transmitter) {
            self.kind = kind
            self.seed = seed
            self.transmitter = transmitter
        }

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
