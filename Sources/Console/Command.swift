import ArgumentParser
import Linux

/// A command that ends the process with a status; `runProgram` prints a failure.
package protocol Command: ParsableCommand {
    /// Does what the command is for, and returns the status of the process.
    func perform() throws(Failure) -> ExitStatus
}

extension Command {
    package func run() throws { throw ExitCode(try perform().rawValue) }
}
