/// The exit status of a command, by the numbers of sysexits.h, which scripts can rely on.
package enum ExitStatus: Int32, Sendable {
    /// Success.
    case right = 0
    /// The result is negative or empty: not home, nothing to acknowledge.
    case no = 1
    /// The arguments of the command are invalid.
    case usage = 64
    /// A file does not exist or is not readable, or nobody has the name that the command is about.
    case noInput = 66
    /// The broker, the aggregator or the adapter is not available.
    case unavailable = 69
    case disk = 74
    case configuration = 78
}
