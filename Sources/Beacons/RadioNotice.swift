/// What a radio says of itself.
public enum RadioNotice: Hashable, Sendable {
    /// It can hear, or no longer; the reason is a sentence for people.
    case state(RadioState, reason: String)
    /// It answered, and is listening: silence since then is real.
    case proven
    /// So many reports more were lost in the kernel's buffer.
    case lost(UInt64)
    /// A recording is over.
    case ended
}
