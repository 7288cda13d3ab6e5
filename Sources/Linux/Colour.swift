import Glibc

/// A colour of the terminal's own palette, by its number there.
public enum Colour: Int, Sendable {
    case red = 31
    case green = 32
    case yellow = 33
    /// The ground's colour, half as strong.
    case faint = 2
}

/// `text` in a colour where standard output is a terminal, unless the user wants none (NO_COLOR, see no-color.org); elsewhere as it is.
public func coloured(_ text: String, _ colour: Colour) -> String {
    hasColours ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
}

private let hasColours: Bool = {
    let refusal = getenv("NO_COLOR").map { String(cString: $0) } ?? ""
    let terminal = getenv("TERM").map { String(cString: $0) } ?? ""
    return isatty(STDOUT_FILENO) == 1 && refusal.isEmpty && terminal != "dumb"
}()
