/// One mistake in a configuration file: where it is, what is wrong, and what to write instead.
package struct SettingsProblem: Hashable, Sendable, CustomStringConvertible {
    /// The path of the file as the user wrote it.
    package var file: String
    /// The line, from 1; `nil` if the problem concerns the whole file.
    package var line: Int?
    /// The column in characters, from 1; only set if the text is not TOML.
    package var column: Int?
    /// The problem in one line: `mqtt.port is 99999: write a number from 1 to 65535`.
    package var text: String

    package init(file: String, line: Int? = nil, column: Int? = nil, text: String) {
        self.file = file
        self.line = line
        self.column = column
        self.text = text
    }

    /// The problem with its place, in the form that editors recognise: `gateway.toml:12: mqtt.port is 99999: write a
    /// number from 1 to 65535`.
    package var description: String {
        let place = [file] + [line, column].compactMap { $0.map(String.init) }
        return place.joined(separator: ":") + ": " + text
    }
}
