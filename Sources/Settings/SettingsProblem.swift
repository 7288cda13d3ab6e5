/// One mistake in a configuration file: where it stands, what is wrong, and what to write instead.
public struct SettingsProblem: Hashable, Sendable {
    /// The file, as the user named it.
    public var file: String
    /// The line, from 1; `nil` where the file as a whole is meant.
    public var line: Int?
    /// The column, from 1, in characters; only where the text is no TOML.
    public var column: Int?
    /// One line: `mqtt.port is 99999: write a number from 1 to 65535`.
    public var text: String

    /// Creates a problem from all its properties.
    public init(file: String, line: Int?, column: Int? = nil, text: String) {
        self.file = file
        self.line = line
        self.column = column
        self.text = text
    }
}

extension SettingsProblem: CustomStringConvertible {
    /// `gateway.toml:12: mqtt.port is 99999: write a number from 1 to 65535`, the form that editors can jump to.
    public var description: String {
        let place = [file] + [line, column].compactMap { $0.map(String.init) }
        return place.joined(separator: ":") + ": " + text
    }
}
