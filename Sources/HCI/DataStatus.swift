/// Whether the data of an extended report is complete: bits 5 and 6 of its event type.
public enum DataStatus: UInt8, Sendable {
    /// The data is complete, or is the last fragment.
    case complete = 0b00
    /// The data is a fragment, and another report continues it.
    case moreFollows = 0b01
    /// The data is cut: the controller received no more of it.
    case cut = 0b10
}
