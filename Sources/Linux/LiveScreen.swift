/// A table on a terminal that is drawn over itself, without flicker: only what follows is cleared.
public final class LiveScreen {
    private var drawn = 0

    /// A screen on which nothing was drawn yet.
    public init() {
        writeRaw("\u{1B}[?25l")
    }

    /// Draws `lines` where the last ones were; more than the terminal is high are cut. Whether there is still a terminal.
    @discardableResult
    public func draw(_ lines: [String]) -> Bool { draw(lines.map { StyledLine($0) }) }

    /// Draws `lines` in their colours.
    @discardableResult
    public func draw(_ lines: [StyledLine]) -> Bool {
        let shown = lines.prefix(max(1, (terminalHeight() ?? 25) - 1))
        var text = drawn > 0 ? "\u{1B}[\(drawn)A" : ""
        for line in shown { text += "\r\(line.text)\u{1B}[K\n" }
        text += "\u{1B}[J"
        drawn = shown.count
        return writeRaw(text)
    }

    /// Gives the cursor back.
    public func end() {
        writeRaw("\u{1B}[?25h")
    }
}
