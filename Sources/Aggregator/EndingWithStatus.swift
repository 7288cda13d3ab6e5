import ArgumentParser
import Linux

/// Runs a command's body and ends the process with its status; a failure is told on standard error.
func endingWithStatus(_ body: () throws(Failure) -> ExitStatus) throws -> Never {
    do throws(Failure) {
        let status = try body()
        throw ExitCode(status.rawValue)
    } catch {
        error.tell(as: "forgetmenot")
        throw ExitCode(error.status.rawValue)
    }
}
