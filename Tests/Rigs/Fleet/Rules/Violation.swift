import Beacons

/// One time that an invariant did not hold.
package struct Violation: Sendable {
    /// Which.
    package var invariant: Invariant
    /// The gateway or the item.
    package var subject: String
    /// What was seen.
    package var detail: String
    /// When, from the run's start.
    package var at: Instant
}

extension Violation: CustomStringConvertible {
    /// `312.041 s, kitchen: no exit without …: exit of 1/2 after 3.1 s`.
    package var description: String {
        "\(Double(at.milliseconds) / 1000) s, \(subject): not so: \(invariant.rawValue): \(detail)"
    }
}
