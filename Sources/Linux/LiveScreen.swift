import Glibc

/// A table on a terminal that is redrawn in place without flicker, because only the rest of the screen is cleared.
package final class LiveScreen {
    private var drawn = 0
    private let keys: TerminalKeys?

    /// Creates a screen on which nothing is drawn yet.
    ///
    /// - Parameter readsKeys: whether keys are read without being shown, until `end`. Without a terminal to read from, there are none.
    package init(readsKeys: Bool = false) {
        keys = readsKeys ? TerminalKeys() : nil
        hideCursor()
    }

    /// The descriptors that are readable when `typedKeys` has something to do.
    package var inputs: [Int32] { keys?.inputs ?? [] }

    /// Whether the user can type keys.
    package var hasKeys: Bool { keys?.areRead ?? false }

    /// The keys that were typed since the last call. A signal that ends or suspends the process does so here, after the terminal is restored.
    package func typedKeys() -> [Key] {
        guard let keys else { return [] }
        while let signal = keys.signal() {
            end()
            switch signal {
            case SIGTSTP: Signals.suspendProcess()
            case SIGCONT: break
            default: Signals.endProcess(by: signal)
            }
            keys.begin()
            hideCursor()
            drawn = 0
        }
        // A job that is brought to the foreground while it runs gets no signal.
        if !keys.areRead { keys.begin() }
        return keys.typed()
    }

    /// Draws `lines` in place of the previous ones, cut to the height of the terminal. Returns whether the terminal is
    /// still there.
    @discardableResult
    package func draw(_ lines: [String]) -> Bool { draw(lines.map { StyledLine($0) }) }

    /// Draws `lines` in their colours. Returns whether the terminal is still there.
    @discardableResult
    package func draw(_ lines: [StyledLine]) -> Bool {
        let shown = lines.prefix(max(1, (terminalHeight() ?? 25) - 1))
        var text = drawn > 0 ? "\u{1B}[\(drawn)A" : ""
        for line in shown { text += "\r\(line.text)\u{1B}[K\n" }
        text += "\u{1B}[J"
        drawn = shown.count
        return writeRaw(text)
    }

    /// Shows the cursor again, and what is typed.
    package func end() {
        keys?.end()
        writeRaw("\u{1B}[?25h")
    }

    private func hideCursor() { writeRaw("\u{1B}[?25l") }
}
