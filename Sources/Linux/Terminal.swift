import Beacons
import Glibc

/// The user's terminal, independent of standard input.
package struct Terminal: ~Copyable {
    private let descriptor: FileDescriptor

    /// Opens the terminal; `nil` if the process has none.
    package init?() {
        guard let terminal = try? FileDescriptor(opening: "/dev/tty", O_RDWR) else { return nil }
        descriptor = terminal
    }

    /// Asks for a secret; the terminal does not show the typed text. The result is `nil` if the terminal is closed.
    ///
    /// If Ctrl-C ends the process meanwhile, the terminal first shows again what is typed.
    package func askSecret(_ question: String) -> String? {
        let number = descriptor.number
        return restoringTerminal { () -> String? in
            var hidden = termios()
            if tcgetattr(number, &hidden) == 0 {
                hidden.c_lflag &= ~tcflag_t(ECHO)
                tcsetattr(number, TCSANOW, &hidden)
            }
            defer { _ = "\n".withCString { write(number, $0, 1) } }
            show(question + ": ", at: number)
            return isLineTyped(at: number) ? typedLine(at: number) : nil
        }
    }

    /// Asks a question and returns the typed line without blanks at its ends. An empty line yields `standard`, a closed
    /// terminal `nil`.
    package func ask(_ question: String, standard: String? = nil) -> String? {
        show(question + (standard.map { " [\($0)]" } ?? "") + ": ", at: descriptor.number)
        // Some commands have blocked the signal, to handle it elsewhere.
        var (interrupt, former) = (sigset_t(), sigset_t())
        sigaddset(&interrupt, SIGINT)
        pthread_sigmask(SIG_UNBLOCK, &interrupt, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        guard let line = typedLine(at: descriptor.number) else { return nil }
        return line.isEmpty ? standard ?? "" : line
    }
}

/// Runs `work`, and then restores the settings of the terminal, if the process has one. Ctrl-C meanwhile ends the process only afterwards: who
/// hides what is typed, as `age` does for a passphrase, would leave the terminal so.
package func restoringTerminal<Value, Problem: Error>(_ work: () throws(Problem) -> Value) throws(Problem) -> Value {
    guard let terminal = try? FileDescriptor(opening: "/dev/tty", O_RDWR) else { return try work() }
    var settings = termios()
    let isTerminal = tcgetattr(terminal.number, &settings) == 0
    var (keys, former) = (signalsOfKeys(), sigset_t())
    pthread_sigmask(SIG_BLOCK, &keys, &former)
    defer {
        if isTerminal { tcsetattr(terminal.number, TCSANOW, &settings) }
        // A signal that waits arrives here.
        pthread_sigmask(SIG_SETMASK, &former, nil)
    }
    return try work()
}

/// The signals of Ctrl-C and Ctrl-\.
private func signalsOfKeys() -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in [SIGINT, SIGQUIT] { sigaddset(&set, signal) }
    return set
}

private func show(_ prompt: String, at terminal: Int32) {
    _ = printable(prompt).withCString { write(terminal, $0, strlen($0)) }
}

/// Waits until a line is typed, or the terminal is closed; `false` if a blocked signal of a key comes first.
private func isLineTyped(at terminal: Int32) -> Bool {
    guard let signals = try? Signals([SIGINT, SIGQUIT]) else { return true }
    return withExtendedLifetime(signals) {
        while true {
            let ready = wait(for: [terminal, signals.number], until: nil)
            if ready.contains(true) { return !ready[1] }
        }
    }
}

/// The typed line without blanks at its ends; `nil` if the terminal is closed.
private func typedLine(at terminal: Int32) -> String? {
    // A terminal delivers one line per read.
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = read(terminal, &bytes, bytes.count)
    guard count > 0 else { return nil }
    let line = String(decoding: bytes[..<count], as: UTF8.self).split(whereSeparator: \.isNewline).first ?? ""
    return line.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
}
