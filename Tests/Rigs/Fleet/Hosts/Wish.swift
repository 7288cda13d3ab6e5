import Beacons

/// What a process wants of the world around it.
enum Wish: Sendable {
    /// To be sent to the broker.
    case send(Packet)
    /// Its radio will say this so much later.
    case radioSays(RadioNotice, after: Interval)
}
