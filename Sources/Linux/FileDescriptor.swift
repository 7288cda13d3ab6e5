import Glibc

/// An open descriptor that is closed with the end of its owner's life.
public struct FileDescriptor: ~Copyable, Sendable {
    /// The kernel's number; borrow it, do not close it.
    public let number: Int32

    /// Takes over `number`, which nobody else may close.
    public init(owning number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }
}
