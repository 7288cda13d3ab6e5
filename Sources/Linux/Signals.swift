internal import CLinux
import Glibc

/// The signals that stop or reload a service, read from a descriptor instead of a handler.
package final class Signals: Sendable {
    private let descriptor: FileDescriptor

    /// Blocks `signals` for the whole process and reads them from now on. Call this before the first thread starts.
    package init(_ signals: [Int32]) throws(SystemError) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        let number = signalfd(-1, &set, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
        guard number >= 0 else { throw SystemError.last("make a signal descriptor") }
        descriptor = FileDescriptor(owning: number)
    }

    /// Lets signals end the process again that a `Signals` of before has blocked. One that is pending ends it now.
    package static func unblock(_ signals: [Int32]) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// The descriptor that becomes readable when a signal arrives.
    package var number: Int32 { descriptor.number }

    /// Returns the signal that arrived; `nil` if none did.
    package func next() -> Int32? {
        var information = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        return read(number, &information, size) == size ? Int32(information.ssi_signo) : nil
    }

    /// Suspends the process as Ctrl-Z does, and returns when it continues. The process must have blocked SIGTSTP.
    package static func suspendProcess() {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTSTP)
        raise(SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Ends the process by a signal, as if the process had not blocked it, so that the parent process sees the true
    /// reason.
    package static func endProcess(by signal: Int32) -> Never {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, signal)
        _ = Glibc.signal(signal, SIG_DFL)
        raise(signal)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        // Execution continues here only if the signal does not end processes.
        exit(128 + signal)
    }
}
