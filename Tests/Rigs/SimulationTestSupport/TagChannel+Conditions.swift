import Beacons
import Simulation

extension TagChannel {
    /// How a tag sends and what comes between it and the gateway. The losses of all causes are independent: the shares that they leave are multiplied.
    public struct Conditions: Hashable, Sendable {
        /// From one advertising event to the next, without the 0 to 10 ms that are added each time.
        public var interval: Interval
        /// Which part is received where nothing below comes between: 0 to 1.
        public var reception: Double
        /// dBm on average, where no body is between; sightings differ by 4 dB (standard deviation).
        public var rssi = -80.0
        /// Losses that come together.
        public var bursts: Bursts?
        /// A body between tag and gateway, `bodyLoss` strong.
        public var body: Interruption?
        /// dB that the body takes. It lowers the RSSI, and reception by the ratio of `1 / (1 + exp((-94 - rssi) / 2))` with and without it:
        /// 20 dB leave 5 % of what -80 dBm gave.
        public var bodyLoss = 20.0
        /// Reception that drifts.
        public var drift: Drift?
        /// Times at which the tag really is away; it leaves and returns at once.
        public var absences: Interruption?
        /// When the gateway scans; `nil`: always.
        public var scan: ScanDuty?

        /// A tag that is always there, and whose losses are independent.
        public init(interval: Interval, reception: Double) {
            self.interval = interval
            self.reception = reception
        }
    }

    /// Something that comes and goes.
    public struct Interruption: Hashable, Sendable {
        /// From the end of one to the beginning of the next on average; exponential.
        public var pause: Interval
        /// How long each lasts, evenly from this range.
        public var length: ClosedRange<Interval>

        /// Interruptions of `length`, `pause` apart.
        public init(pause: Interval, length: ClosedRange<Interval>) {
            precondition(pause > .zero && length.lowerBound > .zero, "a pause and a length")
            self.pause = pause
            self.length = length
        }

        /// `count` interruptions a day on average.
        public static func perDay(_ count: Double, length: ClosedRange<Interval>) -> Interruption {
            let mean = (length.lowerBound.seconds + length.upperBound.seconds) / 2
            return Interruption(pause: .seconds(max(1, 86_400 / count - mean)), length: length)
        }
    }

    /// Reception that wanders smoothly between all of it and `1 - depth` of it, each value about as likely as any other.
    public struct Drift: Hashable, Sendable {
        /// Which part of the reception is lost at worst: 0 to 1.
        public var depth: Double
        /// After how long it is another.
        public var time: Interval

        /// A drift with all its properties.
        public init(depth: Double, time: Interval) {
            precondition(time > .zero, "a time of some length")
            self.depth = depth
            self.time = time
        }
    }
}
