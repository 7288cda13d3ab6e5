import Glibc

/// A system call that failed: the attempted action and the kernel's reason.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The attempted action in words: `open /var/lib/forgetmenot/boot`.
    package var action: String
    /// The kernel's `errno`.
    package var code: Int32
    /// The reason in words if the kernel's own text does not fit; `nil`: the kernel's text.
    package var explanation: String?

    /// Creates an error with a known code.
    package init(_ action: String, code: Int32, because explanation: String? = nil) {
        self.action = action
        self.code = code
        self.explanation = explanation
    }

    /// The error of the preceding system call, whose code is in `errno`.
    package static func last(_ action: String) -> SystemError { SystemError(action, code: errno) }

    /// `cannot open /x: No such file or directory`.
    package var description: String { "cannot \(action): \(reason)" }

    /// The reason in words.
    package var reason: String { explanation ?? String(cString: strerror(code)) }
}
