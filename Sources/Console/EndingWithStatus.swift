import ArgumentParser
public import Linux

/// Runs a command's body and ends the process with its status; a failure is told by `runProgram`.
public func endingWithStatus(_ body: () throws(Failure) -> ExitStatus) throws -> Never {
    throw ExitCode(try body().rawValue)
}
