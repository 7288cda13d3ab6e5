/// A table on a terminal that is redrawn in place without flicker, because only the rest of the screen is cleared.
package final class LiveScreen {
    private var drawn = 0

    /// Creates a screen on which nothing is drawn yet.
    package init() {
        writeRaw("\u{1B}[?25l")
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

    /// Shows the cursor again.
    package func end() {
        writeRaw("\u{1B}[?25h")
    }
}
