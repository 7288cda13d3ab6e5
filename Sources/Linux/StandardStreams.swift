import Glibc

/// Writes `text` and a line's end to standard output. What reads it may be gone: then nothing more is to be said, and the process ends.
public func printLine(_ text: String) {
    guard write(all: text + "\n", to: STDOUT_FILENO) else { exit(0) }
}

/// Writes `text` and a line's end to standard output, for who has something to give back before the process ends; whether somebody reads it.
@discardableResult
public func writeLine(_ text: String) -> Bool {
    write(all: text + "\n", to: STDOUT_FILENO)
}

/// Writes `text` to standard output as it is; whether somebody reads it.
@discardableResult
func writeRaw(_ text: String) -> Bool {
    write(all: text, to: STDOUT_FILENO)
}

/// Writes `text` and a line's end to standard error.
public func printError(_ text: String) {
    _ = write(all: text + "\n", to: STDERR_FILENO)
}

/// Writes `text` to standard error as it is.
func writeError(_ text: String) {
    _ = write(all: text, to: STDERR_FILENO)
}

/// How many columns the terminal on standard output has; `nil` if there is none.
public func terminalWidth() -> Int? { terminalSize().map { $0.ws_col > 0 ? Int($0.ws_col) : 80 } }

/// How many rows the terminal on standard output has; `nil` if there is none.
func terminalHeight() -> Int? { terminalSize().map { $0.ws_row > 0 ? Int($0.ws_row) : 25 } }

private func terminalSize() -> winsize? {
    guard isatty(STDOUT_FILENO) == 1 else { return nil }
    var size = winsize()
    _ = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size)
    return size
}

private func write(all text: String, to descriptor: Int32) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress!, $0.count) }
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return false }
        bytes = bytes.dropFirst(count)
    }
    return true
}

/// Whether standard error goes to systemd's journal.
public var isUnderSystemd: Bool { getenv("JOURNAL_STREAM") != nil }
