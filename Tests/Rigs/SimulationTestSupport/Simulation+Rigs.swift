import Beacons
import Glibc
import Simulation

extension House {
    /// The name of the room that the tag (by index) is in at that time; `nil`: it is away. `HousePositions` is quicker for many.
    public func room(ofTag tag: Int, at time: HouseTime) -> String? {
        var positions = HousePositions(self)
        return positions.room(ofTag: tag, at: time).map { plan.rooms[$0].name }
    }
}

extension Bursts {
    /// Bursts of which one begins every `period` on average, `meanLength` being part of it.
    public init(every period: Interval, lasting meanLength: Interval, loss: Double = 1) {
        self.init(share: meanLength.seconds / period.seconds, meanLength: meanLength, loss: loss)
    }

    /// How long a good state lasts on average; for ever where the share is 0.
    public var meanPause: Interval { meanLength * ((1 - share) / share) }
}

extension RandomNumberGenerator {
    /// Evenly from `range`, to the nanosecond.
    public mutating func uniform(in range: ClosedRange<Interval>) -> Interval {
        Interval(nanoseconds: .random(in: range.lowerBound.nanoseconds...range.upperBound.nanoseconds, using: &self))
    }

    /// The time to the next event of a Poisson process whose events are `mean` apart on average.
    public mutating func exponential(mean: Interval) -> Interval {
        .seconds(-log(1 - uniform()) * mean.seconds)
    }
}
