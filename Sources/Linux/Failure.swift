/// Why a command could not do what it was asked: one sentence that says what, where, and what to do, and how the process ends.
public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// How the process ends.
    public var status: ExitStatus
    /// The sentence; several lines where several things are wrong.
    public var description: String

    /// A failure to be told on standard error.
    public init(_ status: ExitStatus, _ description: String) {
        self.status = status
        self.description = description
    }
}
