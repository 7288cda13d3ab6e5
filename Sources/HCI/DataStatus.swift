/// Whether an extended report's data is all there is: bits 5 and 6 of its event type.
public enum DataStatus: UInt8, Sendable {
    /// It is, or it is the last part.
    case complete = 0b00
    /// It is a part, and another report brings the next.
    case moreFollows = 0b01
    /// It is as much as the controller received; no more follows.
    case cut = 0b10
}
