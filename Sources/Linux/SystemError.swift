import Glibc

/// A system call that failed: the attempted action and the kernel's reason.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The attempted action in words: `open /var/lib/forgetmenot/boot`.
    package var action: String
    /// The kernel's `errno`.
    package var code: Int32
    /// The reason in words if the kernel's own text does not fit; `nil`: the kernel's text.
    package var explanation: String?

    package init(_ action: String, code: Int32, because explanation: String? = nil) {
        self.action = action
        self.code = code
        self.explanation = explanation
    }

    /// The error of the preceding system call, whose code is in `errno`.
    package static func last(_ action: String) -> SystemError { SystemError(action, code: errno) }

    /// `cannot open /x: No such file or directory`.
    package var description: String { "cannot \(action): \(reason)" }

    package var reason: String { explanation ?? String(cString: strerror(code)) }

    /// One sentence on a problem with a state folder and its consequence. The sentence is equal for every file of the
    /// folder, so that it is logged once.
    package func sentence(ofState folder: StateFolder) -> String {
        let what =
            switch code {
            case ENOSPC, EDQUOT: "the state folder \(folder.path) is full"
            case EROFS: "the state folder \(folder.path) is read-only"
            case EACCES where explanation == nil, EPERM where explanation == nil:
                "the state folder \(folder.path) is not writable for this user"
            default: "\(self)"
            }
        return what + ": data stays in memory only, and a restart may lose it"
    }
}
