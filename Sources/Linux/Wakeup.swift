internal import CLinux
import Glibc

/// A bell between threads: any thread rings, and the one that waits on its descriptor wakes (eventfd).
public final class Wakeup: Sendable {
    private let descriptor: FileDescriptor

    /// A bell that has not been rung. Fails when the process has no descriptor left.
    public init() throws(SystemError) {
        let number = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard number >= 0 else { throw SystemError.last("make an event descriptor") }
        descriptor = FileDescriptor(owning: number)
    }

    /// What becomes readable when it is rung.
    public var number: Int32 { descriptor.number }

    /// Rings; ringing twice before it is answered is the same as once.
    public func ring() {
        var one: UInt64 = 1
        _ = write(number, &one, 8)
    }

    /// Stops the ringing.
    public func answer() {
        var count: UInt64 = 0
        _ = read(number, &count, 8)
    }
}
