/// Why a command failed: the exit status, and one sentence with what failed, on what, and what to do.
package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    package var status: ExitStatus
    /// The sentence; several problems have one line each.
    package var description: String

    package init(_ status: ExitStatus, _ description: String) {
        self.status = status
        self.description = description
    }

    package var first: String { description.split(separator: "\n").first.map(String.init) ?? description }

    /// Prints the failure to standard error. Problems of a configuration begin with the file's name and line, so the
    /// program's name is omitted there.
    package func report(as program: String) {
        guard status == .configuration else { return printError("\(program): \(description)") }
        printErrors(description)
    }
}

/// Returns what `work` returns; its error becomes a failure with this status, and with `remedy` behind the error's sentence.
package func orFail<Value: ~Copyable>(
    _ status: ExitStatus, _ remedy: String = "", _ work: () throws -> Value
) throws(Failure) -> Value {
    do { return try work() } catch { throw error as? Failure ?? Failure(status, "\(error)\(remedy)") }
}
