import Beacons
import Glibc

/// The user's terminal, independent of standard input.
package struct Terminal: ~Copyable {
    private let descriptor: FileDescriptor

    /// Opens the terminal; `nil` if the process has none.
    package init?() {
        let number = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard number >= 0 else { return nil }
        descriptor = FileDescriptor(owning: number)
    }

    /// Asks for a secret; the terminal does not show the typed text. The result is `nil` if the terminal is closed.
    package func askSecret(_ question: String) -> String? {
        var shown = termios()
        let isTerminal = tcgetattr(descriptor.number, &shown) == 0
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        if isTerminal { tcsetattr(descriptor.number, TCSANOW, &hidden) }
        defer {
            if isTerminal { tcsetattr(descriptor.number, TCSANOW, &shown) }
            _ = "\n".withCString { write(descriptor.number, $0, 1) }
        }
        return ask(question)
    }

    /// Asks a question and returns the typed line without blanks at its ends. An empty line yields `standard`, a closed
    /// terminal `nil`.
    package func ask(_ question: String, standard: String? = nil) -> String? {
        let prompt = printable(question + (standard.map { " [\($0)]" } ?? "")) + ": "
        _ = prompt.withCString { write(descriptor.number, $0, strlen($0)) }
        // Some commands have blocked the signal, to handle it elsewhere.
        var (interrupt, former) = (sigset_t(), sigset_t())
        sigaddset(&interrupt, SIGINT)
        pthread_sigmask(SIG_UNBLOCK, &interrupt, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        // A terminal delivers one line per read.
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = read(descriptor.number, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let line = String(decoding: bytes[..<count], as: UTF8.self).split(whereSeparator: \.isNewline).first ?? ""
        let words = line.split(separator: " ", omittingEmptySubsequences: true)
        return words.isEmpty ? standard ?? "" : words.joined(separator: " ")
    }
}
