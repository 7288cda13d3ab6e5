internal import CLinux
import Glibc

/// The signals that end or reload a service, as a descriptor instead of an interruption.
public final class Signals: Sendable {
    private let descriptor: FileDescriptor

    /// Takes `signals` from now on for the whole process: call it before the first thread is started.
    public init(_ signals: [Int32]) throws(SystemError) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        let number = signalfd(-1, &set, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
        guard number >= 0 else { throw SystemError.last("make a signal descriptor") }
        descriptor = FileDescriptor(owning: number)
    }

    /// What becomes readable when a signal came.
    public var number: Int32 { descriptor.number }

    /// The signal that came, if one did.
    public func next() -> Int32? {
        var information = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        return read(number, &information, size) == size ? Int32(information.ssi_signo) : nil
    }

    /// Ends the process by a signal that was taken, as if nobody had taken it: who started the process sees by what it ended.
    public static func endProcess(by signal: Int32) -> Never {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, signal)
        _ = Glibc.signal(signal, SIG_DFL)
        raise(signal)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        // Only a signal that ends nobody leaves us here.
        exit(128 + signal)
    }
}
