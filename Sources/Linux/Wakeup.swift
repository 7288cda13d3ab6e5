internal import CLinux
import Glibc

/// A wakeup between threads (eventfd): any thread calls `ring`, and the thread that waits on the descriptor wakes.
package final class Wakeup: Sendable {
    private let descriptor: FileDescriptor

    /// Creates a wakeup that is not signalled. Throws if the process has no descriptor left.
    package init() throws(SystemError) {
        let number = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard number >= 0 else { throw SystemError.last("make an event descriptor") }
        descriptor = FileDescriptor(owning: number)
    }

    package var number: Int32 { descriptor.number }

    /// Signals the wakeup. Several calls before `answer` count as one.
    package func ring() {
        var one: UInt64 = 1
        _ = write(number, &one, 8)
    }

    package func acknowledge() {
        var count: UInt64 = 0
        _ = read(number, &count, 8)
    }
}
