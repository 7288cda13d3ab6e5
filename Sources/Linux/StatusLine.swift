import Beacons
import Glibc

/// A progress line that is overwritten in place. It appears only if standard error is a terminal.
package final class StatusLine {
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var isShown = false

    package init() {}

    package func show(_ text: String) {
        guard isTerminal else { return }
        writeError("\r\(printable(text))\u{1B}[K")
        isShown = true
    }

    /// Clears the line, so that other output can follow.
    package func clear() {
        if isShown { writeError("\r\u{1B}[K") }
        isShown = false
    }

    /// Replaces the previous text with a final `text`, which stays.
    package func end(with text: String) {
        show(text)
        if isShown { writeError("\n") }
        isShown = false
    }
}
