/// How a command ends, in the numbers of sysexits.h that scripts can rely on.
public enum ExitStatus: Int32, Sendable {
    /// All is right.
    case right = 0
    /// The answer is no, or there is none: no such item, not home, nothing to acknowledge.
    case no = 1
    /// The command was not written as it has to be.
    case usage = 64
    /// There is no such file, or it cannot be read.
    case noInput = 66
    /// The broker, the aggregator or the adapter is not to be had.
    case unavailable = 69
    /// The disk failed.
    case disk = 74
    /// The configuration is wrong.
    case configuration = 78
}
