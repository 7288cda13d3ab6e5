import Glibc

/// A call to the kernel that failed: what was tried, and the kernel's reason.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was tried, in words: `open /var/lib/forgetmenot/boot`.
    public var action: String
    /// The kernel's `errno`.
    public var code: Int32
    /// The reason in words, where the kernel's own words do not fit; `nil`: the kernel's words.
    public var explanation: String?

    /// A failure with a known code.
    public init(_ action: String, code: Int32, because explanation: String? = nil) {
        self.action = action
        self.code = code
        self.explanation = explanation
    }

    /// The failure of the call just made, whose code stands in `errno`.
    public static func last(_ action: String) -> SystemError { SystemError(action, code: errno) }

    /// `cannot open /x: No such file or directory`.
    public var description: String { "cannot \(action): \(reason)" }

    /// The reason alone, in words.
    public var reason: String { explanation ?? String(cString: strerror(code)) }
}
