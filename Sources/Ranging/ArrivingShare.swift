import Glibc

/// The share of the advertisements that arrives, as a moving mean.
struct ArrivingShare: Sendable {
    private(set) var adverts = 0.0
    private(set) var sightings = 0.0

    /// 0 to 1; 0 before the first sighting.
    var share: Double { sightings > 0 ? sightings / adverts : 0 }

    /// How implausible one miss is: -ln(1 - share). Shares above 98 % count as 98 %, because a miss is never impossible.
    var hardness: Double { -log1p(-min(0.98, share)) }

    /// Records misses and the sighting after them. What was `memory` advertisements ago counts e times less.
    mutating func note(_ missed: Double, memory: Double) {
        let remaining = missed > 0 ? exp(-(missed + 1) / memory) : 1 - 1 / memory
        adverts = adverts * remaining + missed + 1
        sightings = sightings * remaining + 1
    }

    init() {}

    /// Restores a stored share; `nil` for values that cannot have been stored.
    init?(adverts: Double, sightings: Double) {
        guard sightings >= 0, sightings <= adverts else { return nil }
        (self.adverts, self.sightings) = (adverts, sightings)
    }
}
