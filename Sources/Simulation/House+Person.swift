import Beacons

extension House {
    /// Somebody who walks about and carries tags; a cat will do.
    public struct Person: Hashable, Sendable {
        /// Whether this one leaves the house at times.
        public var goesOut: Bool

        /// Somebody, who goes out or not.
        public init(goesOut: Bool) {
            self.goesOut = goesOut
        }
    }

    /// How the people of the house spend their time; the defaults make a lively one, of which two minutes show something.
    public struct Habits: Hashable, Sendable {
        /// Seconds that somebody stays in a room before going to another.
        public var stay: ClosedRange<Double> = 15...60
        /// Metres per second.
        public var speed: ClosedRange<Double> = 0.8...1.5
        /// How likely one who goes out does so instead of changing rooms.
        public var goingOut = 0.5
        /// Seconds that one who went out spends at the end of the street, the way there and back not counted.
        public var away: ClosedRange<Double> = 90...150
        /// How far that end is from the front door, in metres.
        public var street = 60.0
        /// Everybody's time is drawn in pieces of this length, at whose ends he is at home: two minutes at least, and longer than an absence.
        public var period: Interval = .seconds(1800)

        /// The lively house.
        public init() {}
    }
}
