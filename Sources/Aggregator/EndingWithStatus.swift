import ArgumentParser
import Linux

/// Runs a command's body and ends the process with its status; a failure is told on standard error.
func endingWithStatus(_ body: () throws(Failure) -> ExitStatus) throws -> Never {
    let status: ExitStatus
    do throws(Failure) {
        status = try body()
    } catch {
        error.tell(as: "forgetmenot")
        status = error.status
    }
    throw ExitCode(status.rawValue)
}
