internal import CLinux
import Glibc

/// A foreign program that was started directly, without a shell, in its own process group.
package struct Subprocess: Sendable {
    package enum Ending: Hashable, Sendable {
        /// The program exited with this status.
        case exited(Int32)
        /// A signal ended the program.
        case killed(Int32)
    }

    /// The process id, which is also the id of the process group.
    package let pid: Int32

    /// Starts the program found in PATH. It reads `input` from standard input, and `attachment`, if there is one, from descriptor 3. Its standard output goes to `output`, or is dropped; its
    /// errors go to this process's standard error, or into the file `errors`.
    package init(
        _ words: [String], input: [UInt8], attachment: [UInt8]? = nil, output: MemoryFile? = nil,
        errors: String? = nil
    ) throws(SystemError) {
        // A file, not a pipe: a program that does not read its input blocks nothing and causes no broken pipe.
        let file = try MemoryFile(input, for: "the input of \(words[0])")
        let other = try attachment.map { (bytes) throws(SystemError) in
            try MemoryFile(bytes, for: "the attachment of \(words[0])")
        }
        defer { withExtendedLifetime(other) {} }
        pid = try Self.spawn(
            words, input: file.number, attachment: other?.number, output: output?.number, errors: errors,
            hasOwnGroup: true)
    }

    /// Starts the program found in PATH with open descriptors as its standard input and output, or nothing in their places.
    ///
    /// Without `hasOwnGroup`, the program stays in this process's group: it can ask on the terminal, and Ctrl-C ends it together with this process.
    /// `signal` is not for such a program.
    package init(
        _ words: [String], readingFrom input: Int32? = nil, writingTo output: Int32? = nil, errors: String? = nil,
        hasOwnGroup: Bool = false
    ) throws(SystemError) {
        pid = try Self.spawn(words, input: input, output: output, errors: errors, hasOwnGroup: hasOwnGroup)
    }

    private static func spawn(
        _ words: [String], input: Int32?, attachment: Int32? = nil, output: Int32?, errors: String?, hasOwnGroup: Bool
    ) throws(SystemError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        if let output {
            posix_spawn_file_actions_adddup2(&actions, output, 1)
        } else {
            posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        }
        if let errors {
            posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        }
        // The last one: what becomes descriptor 3 may take the place of another that was duplicated above.
        if let attachment { posix_spawn_file_actions_adddup2(&actions, attachment, 3) }
        posix_spawn_file_actions_addclosefrom_np(&actions, attachment == nil ? 3 : 4)

        // This process blocks signals to read them from a descriptor. A child would inherit the block, and SIGTERM
        // could not stop it.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        // This process ignores SIGPIPE, which a child would also inherit.
        var ignored = sigset_t()
        sigemptyset(&ignored)
        sigaddset(&ignored, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &ignored)
        let group = hasOwnGroup ? POSIX_SPAWN_SETPGROUP : 0
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group))

        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var pid = pid_t()
        let code = posix_spawnp(&pid, words[0], &actions, &attributes, arguments, environ)
        guard code == 0 else { throw SystemError("start \(words[0])", code: code) }
        return pid
    }

    /// How the program ended; `nil` if it still runs. Do not call this again after it returned an ending.
    package func ending() -> Ending? {
        var status: Int32 = 0
        guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
        return status & 0x7F == 0 ? .exited((status >> 8) & 0xFF) : .killed(status & 0x7F)
    }

    /// Waits without a limit for the end of the program.
    package func waitForEnd() -> Ending {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) != pid { precondition(errno == EINTR, "it was waited for already") }
        return status & 0x7F == 0 ? .exited((status >> 8) & 0xFF) : .killed(status & 0x7F)
    }

    /// Sends a signal to the program and to its process group.
    package func signal(_ number: Int32) {
        kill(-pid, number)
    }
}
