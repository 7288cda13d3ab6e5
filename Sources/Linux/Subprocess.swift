internal import CLinux
import Glibc

/// A program of somebody else's that was started, in a process group of its own; no shell reads its words.
public struct Subprocess: Sendable {
    /// How one ended.
    public enum Ending: Hashable, Sendable {
        /// By itself, with this status.
        case exited(Int32)
        /// By a signal.
        case killed(Int32)
    }

    /// Its number, and its group's.
    public let pid: Int32

    /// Starts the program found in PATH. It reads `input` from standard input and then its end; what it prints is lost, but for errors,
    /// which go where ours do, or into the file `errors`.
    public init(_ words: [String], input: [UInt8], errors: String? = nil) throws(SystemError) {
        // A file and no pipe: whoever does not read it blocks nobody, and is no broken pipe.
        let number = memfd_create("input", 0)
        guard number >= 0 else { throw SystemError.last("make an input for \(words[0])") }
        let file = FileDescriptor(owning: number)
        var written = 0
        while written < input.count {
            let count = input.withUnsafeBytes { write(file.number, $0.baseAddress! + written, input.count - written) }
            guard count > 0 else { throw SystemError.last("write the input of \(words[0])") }
            written += count
        }
        lseek(file.number, 0, SEEK_SET)
        pid = try Self.spawn(words, input: file.number, errors: errors)
    }

    private static func spawn(_ words: [String], input: Int32, errors: String?) throws(SystemError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        if let errors {
            posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        }
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)

        // We take signals from a descriptor, and block them: a child would inherit that, and could not be asked to end.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        // We ignore a closed pipe's signal, which a child would inherit, too.
        var ignored = sigset_t()
        sigemptyset(&ignored)
        sigaddset(&ignored, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &ignored)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var pid = pid_t()
        let code = posix_spawnp(&pid, words[0], &actions, &attributes, arguments, environ)
        guard code == 0 else { throw SystemError("start \(words[0])", code: code) }
        return pid
    }

    /// How it ended; `nil`: it has not. Ask no more once it has.
    public func ending() -> Ending? {
        var status: Int32 = 0
        guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
        return status & 0x7F == 0 ? .exited((status >> 8) & 0xFF) : .killed(status & 0x7F)
    }

    /// Waits for its end, however long that takes.
    public func waitForEnd() -> Ending {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) != pid { precondition(errno == EINTR, "it was waited for already") }
        return status & 0x7F == 0 ? .exited((status >> 8) & 0xFF) : .killed(status & 0x7F)
    }

    /// Sends a signal to it and to all that it started.
    public func signal(_ number: Int32) {
        kill(-pid, number)
    }
}
