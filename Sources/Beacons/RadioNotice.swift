/// A change that a radio reports about itself.
public enum RadioNotice: Hashable, Sendable {
    /// The state of the radio changed; `reason` is a sentence for the user.
    case state(RadioState, reason: String)
    /// The radio responded and is scanning: a beacon that is silent since then is really silent.
    case proven
    /// The kernel's buffer overflowed and lost this number of reports.
    case lost(UInt64)
    /// The recording has ended; `problem` is a sentence if the recording could not be read to its end.
    case ended(problem: String?)
}
