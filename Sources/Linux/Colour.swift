import Beacons
import Glibc

/// A colour of the terminal's palette, by its number.
package enum Colour: Int, Sendable {
    case red = 31
    case green = 32
    case yellow = 33
    /// The default colour with reduced intensity.
    case faint = 2
}

/// A line of printable text whose parts may have colours.
package struct StyledLine: Sendable {
    /// The text with the escape sequences for the terminal.
    let text: String

    /// Creates a line from `text`. The `colour` applies only if standard output is a terminal and NO_COLOR is not set
    /// (see no-color.org).
    package init(_ text: some StringProtocol, _ colour: Colour? = nil) {
        let text = printable(text)
        guard let colour, hasColours else {
            self.text = text
            return
        }
        self.text = "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }

    private init(joined text: String) { self.text = text }

    package static func + (left: Self, right: Self) -> Self { StyledLine(joined: left.text + right.text) }
}

private let hasColours: Bool = {
    let refusal = getenv("NO_COLOR").map { String(cString: $0) } ?? ""
    let terminal = getenv("TERM").map { String(cString: $0) } ?? ""
    return isatty(STDOUT_FILENO) == 1 && refusal.isEmpty && terminal != "dumb"
}()
