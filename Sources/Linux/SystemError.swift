import Glibc

/// A system call that failed: the attempted action and the kernel's reason.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The attempted action in words: `open /var/lib/forgetmenot/boot`.
    public var action: String
    /// The kernel's `errno`.
    public var code: Int32
    /// The reason in words if the kernel's own text does not fit; `nil`: the kernel's text.
    public var explanation: String?

    /// Creates an error with a known code.
    public init(_ action: String, code: Int32, because explanation: String? = nil) {
        self.action = action
        self.code = code
        self.explanation = explanation
    }

    /// The error of the preceding system call, whose code is in `errno`.
    public static func last(_ action: String) -> SystemError { SystemError(action, code: errno) }

    /// `cannot open /x: No such file or directory`.
    public var description: String { "cannot \(action): \(reason)" }

    /// The reason in words.
    public var reason: String { explanation ?? String(cString: strerror(code)) }
}
