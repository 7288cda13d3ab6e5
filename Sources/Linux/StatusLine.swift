import Beacons
import Glibc

/// A line on the terminal at standard error that is written over itself, to say how far something has come; elsewhere nothing is said.
public final class StatusLine {
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var isShown = false

    /// A line that says nothing yet.
    public init() {}

    /// Says `text` in the place of what was said before.
    public func show(_ text: String) {
        guard isTerminal else { return }
        writeError("\r\(printable(text))\u{1B}[K")
        isShown = true
    }

    /// Says nothing any more, so that something else can be said.
    public func clear() {
        if isShown { writeError("\r\u{1B}[K") }
        isShown = false
    }

    /// Says its last, which stays.
    public func end(with text: String) {
        show(text)
        if isShown { writeError("\n") }
        isShown = false
    }
}
