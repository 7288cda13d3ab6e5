import Glibc
import Linux

/// A process that a test started, and that ends with the test at the latest.
package final class Child {
    /// Its number.
    package let pid: pid_t
    private var hasEnded = false

    /// Starts the program found in PATH; what it prints goes to the file `output`, or nowhere.
    ///
    /// - Parameter errors: where what it prints on standard error goes; `nil`: to `output`, too.
    package init(_ arguments: [String], output: String = "/dev/null", errors: String? = nil) throws(SystemError) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        if let errors {
            posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        } else {
            posix_spawn_file_actions_adddup2(&actions, 1, 2)
        }
        // Tests run beside each other: a socket of another that is held open here would never be seen to close.
        for number in Int32(3)..<256 { posix_spawn_file_actions_addclose(&actions, number) }

        // The threads that run tests block signals, and a child inherits that: it could not be asked to end or to reload.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        var pid = pid_t()
        let code = posix_spawnp(&pid, arguments[0], &actions, &attributes, words, environ)
        guard code == 0 else { throw SystemError("start \(arguments[0])", code: code) }
        self.pid = pid
    }

    deinit {
        end(by: SIGKILL)
    }

    /// Sends a signal, and does not wait for what comes of it.
    package func signal(_ number: Int32) {
        if !hasEnded { kill(pid, number) }
    }

    /// Sends a signal and waits until the process is gone.
    package func end(by number: Int32) {
        signal(number)
        waitForEnd()
    }

    /// Waits for its end; returns its exit status, or minus the signal that ended it.
    @discardableResult
    package func waitForEnd() -> Int32 {
        var status: Int32 = 0
        while !hasEnded {
            if waitpid(pid, &status, 0) == pid || errno != EINTR { hasEnded = true }
        }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
    }

    /// Whether it is still there.
    package var isRunning: Bool {
        if !hasEnded, waitpid(pid, nil, WNOHANG) == pid { hasEnded = true }
        return !hasEnded
    }
}

/// Runs a program to its end; throws what it printed where that is not 0.
package func run(_ arguments: [String], in folder: TestFolder) throws {
    let output = folder.path("output-of-\(arguments[0].split(separator: "/").last ?? "")")
    unlink(output)
    guard try Child(arguments, output: output).waitForEnd() == 0 else {
        let printed = try String(decoding: readFile(at: output), as: UTF8.self)
        throw TestBrokerError("\(arguments.joined(separator: " ")): \(printed)")
    }
}

/// What went wrong in a test's surroundings.
package struct TestBrokerError: Error, CustomStringConvertible {
    /// In words.
    package let description: String

    /// Something that went wrong.
    package init(_ description: String) {
        self.description = description
    }
}

/// Whether a program is in PATH: tests that need it are reported as skipped otherwise.
package func isProgramInstalled(_ program: String) -> Bool {
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/usr/sbin"
    return (path + ":/usr/sbin").split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
}
