extension House {
    /// What is between a transmitter and a gateway: distance, walls, furniture, bodies, and what else is on the air.
    ///
    /// The level is power - loss of the distance - walls and floors + shadowing - body + fading, in dB. The defaults are of the usual size of indoor measurements.
    public struct Channel: Hashable, Sendable {
        /// Loss per tenfold distance is ten times this, up to `breakpoint`.
        public var exponent = 2.0
        /// Metres from which on the loss grows by `farExponent`, as the ground and the neighbourhood come between.
        public var breakpoint = 8.0
        /// The exponent beyond the breakpoint.
        public var farExponent = 4.0
        /// dB per wall between rooms.
        public var innerWall = 4.0
        /// dB per wall to the outside.
        public var outerWall = 10.0
        /// dB of the shut front door.
        public var frontDoor = 7.0
        /// dB per floor.
        public var ceiling = 14.0
        /// Standard deviation in dB of what furniture does at a place, for all tags alike and for ever: this is what a survey learns.
        public var shadowing = 3.5
        /// Metres after which shadowing is another.
        public var shadowingLength = 1.5
        /// Standard deviation in dB of what changes with time: doors, people who pass, the hand.
        public var flutter = 1.5
        /// Seconds after which flutter is another.
        public var flutterTime = 15.0
        /// Power of the direct way over that of all reflections (Rice's K), by which packets differ: 6 is 8 dB.
        public var directness = 6.0
        /// dB that a body takes when it stands right between the tag that it carries and the gateway.
        public var body = 9.0
        /// dBm at which half the packets are decoded.
        public var sensitivity = -94.0
        /// dB by which the odds of decoding change by a factor of e.
        public var softness = 1.0
        /// dBm of noise: it adds to every RSSI, and nothing below it is decoded.
        public var noiseFloor = -100.0
        /// Which part of the packets collides with others, each by itself.
        public var loss = 0.1
        /// Losses that come together, for each tag and gateway by themselves; `nil`: none.
        public var bursts: Bursts? = Bursts(share: 0.03, meanLength: .seconds(3), loss: 0.9)
        /// When gateways scan; `nil`: always.
        public var scan: ScanDuty?

        /// The usual house.
        public init() {}

        /// dB that distance, walls and floors take; up to 0.1 m nothing more than at 0.1 m.
        public func attenuation(from start: Position, to end: Position, through walls: [Wall]) -> Double {
            let distance = max(0.1, start.distance(to: end))
            var loss = RadioModel.distanceLoss(min(distance, breakpoint), exponent: exponent)
            if distance > breakpoint { loss += RadioModel.distanceLoss(distance / breakpoint, exponent: farExponent) }
            for wall in walls where wall.crosses(from: start, to: end) {
                loss += attenuation(of: wall)
            }
            return loss + ceiling * Double(abs(Plan.floor(of: start) - Plan.floor(of: end)))
        }

        private func attenuation(of wall: Wall) -> Double {
            switch wall.kind {
            case .inner: innerWall
            case .outer: outerWall
            case .frontDoor: frontDoor
            }
        }

        /// How likely a packet of this level in dBm is decoded, where nothing else is on the air.
        public func reception(atLevel level: Double) -> Double {
            guard level >= noiseFloor else { return 0 }
            return RadioModel.decodingProbability(level: level, sensitivity: sensitivity, softness: softness)
        }
    }
}
