import Glibc

/// A call to the kernel that failed: what was tried, and the kernel's reason.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was tried, in words: `open /var/lib/forgetmenot/boot`.
    public var action: String
    /// The kernel's `errno`.
    public var code: Int32

    /// A failure with a known code.
    public init(_ action: String, code: Int32) {
        self.action = action
        self.code = code
    }

    /// The failure of the call just made, whose code stands in `errno`.
    public static func last(_ action: String) -> SystemError { SystemError(action, code: errno) }

    /// `cannot open /x: No such file or directory`.
    public var description: String { "cannot \(action): \(reason)" }

    /// The kernel's reason alone, in words.
    public var reason: String { String(cString: strerror(code)) }
}
