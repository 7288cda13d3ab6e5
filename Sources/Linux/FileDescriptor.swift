import Glibc

/// An open descriptor that is closed at the end of its owner's lifetime.
public struct FileDescriptor: ~Copyable, Sendable {
    /// The kernel's number of the descriptor; do not close it.
    public let number: Int32

    /// Takes ownership of `number`, which no other code may close.
    public init(owning number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }
}
