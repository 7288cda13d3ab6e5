import Glibc

/// Writes `text` and a line's end to standard output. What reads it may be gone: then nothing more is to be said, and the process ends.
public func printLine(_ text: String) {
    guard write(all: text + "\n", to: STDOUT_FILENO) else { exit(0) }
}

/// Writes `text` and a line's end to standard error.
public func printError(_ text: String) {
    _ = write(all: text + "\n", to: STDERR_FILENO)
}

/// Whether standard output is a terminal, and how many columns it has; `nil` if it is none.
public func terminalWidth() -> Int? {
    guard isatty(STDOUT_FILENO) == 1 else { return nil }
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
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
