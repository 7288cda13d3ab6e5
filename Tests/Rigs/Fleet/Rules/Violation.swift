import Beacons

/// One time that an invariant did not hold.
public struct Violation: Sendable {
    /// Which.
    public var invariant: Invariant
    /// The gateway or the item.
    public var subject: String
    /// What was seen.
    public var detail: String
    /// When, from the run's start.
    public var at: Instant
}

extension Violation: CustomStringConvertible {
    /// `312.041 s, kitchen: no exit without …: exit of 1/2 after 3.1 s`.
    public var description: String {
        "\(Double(at.milliseconds) / 1000) s, \(subject): not so: \(invariant.rawValue): \(detail)"
    }
}
