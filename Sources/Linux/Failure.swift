/// Why a command could not do what it was asked: one sentence that says what, where, and what to do, and how the process ends.
public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// How the process ends.
    public var status: ExitStatus
    /// The sentence; a line for each where several things are wrong.
    public var description: String

    /// A failure to be told on standard error.
    public init(_ status: ExitStatus, _ description: String) {
        self.status = status
        self.description = description
    }

    /// Tells it on standard error. A problem in a file begins with that file's name and line, and so needs no program's name before it.
    public func tell(as program: String) {
        guard status == .configuration else { return printError("\(program): \(description)") }
        printErrors(description)
    }
}
