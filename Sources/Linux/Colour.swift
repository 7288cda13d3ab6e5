import Beacons
import Glibc

/// A colour of the terminal's own palette, by its number there.
public enum Colour: Int, Sendable {
    case red = 31
    case green = 32
    case yellow = 33
    /// The ground's colour, half as strong.
    case faint = 2
}

/// A line whose parts may have colours of their own, and whose texts are printable.
public struct StyledLine: Sendable {
    /// As a terminal gets it.
    let text: String

    /// `text`, in `colour` where standard output is a terminal, unless the user wants none (NO_COLOR, see no-color.org).
    public init(_ text: some StringProtocol, _ colour: Colour? = nil) {
        let text = printable(text)
        guard let colour, hasColours else {
            self.text = text
            return
        }
        self.text = "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }

    private init(joined text: String) { self.text = text }

    /// One part behind the other.
    public static func + (left: Self, right: Self) -> Self { StyledLine(joined: left.text + right.text) }
}

private let hasColours: Bool = {
    let refusal = getenv("NO_COLOR").map { String(cString: $0) } ?? ""
    let terminal = getenv("TERM").map { String(cString: $0) } ?? ""
    return isatty(STDOUT_FILENO) == 1 && refusal.isEmpty && terminal != "dumb"
}()
