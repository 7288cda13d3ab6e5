import ArgumentParser
import Linux

/// Runs the body of a command and ends the process with its status; `runProgram` prints a failure.
package func endingWithStatus(_ body: () throws(Failure) -> ExitStatus) throws -> Never {
    throw ExitCode(try body().rawValue)
}
