import Beacons

/// Losses that come together: a hand, a body, Wi-Fi (Gilbert 1960, Elliott 1963). Time alternates between a good and a bad state, each of
/// exponential length, and in the bad one a share of what would have been received is lost.
public struct Bursts: Hashable, Sendable {
    /// Which part of the time is bad: 0 up to, but not, 1.
    public var share: Double
    /// How long a bad state lasts on average.
    public var meanLength: Interval
    /// Which part is lost in it, of what the other losses leave: 0 to 1.
    public var loss: Double

    package init(share: Double, meanLength: Interval, loss: Double) {
        precondition(share >= 0 && share < 1 && meanLength > .zero, "a share below 1, of some length")
        self.share = share
        self.meanLength = meanLength
        self.loss = loss
    }
}
