/// Where the packages install the configuration files of both programs.
package let configurationFolder = "/etc/forgetmenot"

package struct SettingsReading<Configuration> {
    /// The configuration; `nil` if there are problems.
    package var configuration: Configuration?
    package var problems: [SettingsProblem]
    /// Every key that was read, present or absent, with its tables: `mqtt.port`, `region.uuid`. The keys of an array of
    /// tables are included after one of its tables was read.
    package var knownKeys: [String]
    /// The files and programs that the file names.
    package var files: [NamedFile] = []
}

/// A file or a program that a configuration file names.
package struct NamedFile: Hashable, Sendable {
    /// The key with its tables, like `mqtt.ca_file`.
    package var key: String
    /// The line of the key.
    package var line: Int?
    /// The path, ready to be opened; of a program, perhaps only a name.
    package var path: String
    package var isProgram = false
}

/// The treatment of tables and keys at the top of the file that were not read.
package enum OtherTables: Sendable {
    /// Each is a problem.
    case refused
    /// They belong to other programs, so only a name one letter away from a known one is a problem.
    case ignored
}

/// Reads a TOML text as the contents of the file named `file` with `read`, which reads every key that it knows. The getters
/// record problems, and so does every key that `read` did not read.
///
/// - Parameters:
///   - file: the file's name in problems; the file need not exist.
///   - read: returns `nil` only if there is a problem.
package func readSettings<Configuration>(
    _ text: [UInt8], file: String, otherTables: OtherTables = .refused, _ read: (SettingsTable) -> Configuration?
) -> SettingsReading<Configuration> {
    if let line = lineOfForeignBytes(text) {
        let problem = SettingsProblem(file: file, line: line, text: "the file is not UTF-8 text: save it as UTF-8")
        return SettingsReading(configuration: nil, problems: [problem], knownKeys: [])
    }
    var parser = TOMLParser(text, file: file)
    guard let root = parser.parse(), case .table(let members) = root.value else {
        return SettingsReading(configuration: nil, problems: ordered(parser.problems), knownKeys: [])
    }
    let diagnostics = Diagnostics(file: file, problems: parser.problems)
    let configuration = read(
        SettingsTable(diagnostics.record(of: "", path: "", line: nil, members: members), in: diagnostics))
    diagnostics.noteUnknownKeys(otherTables)
    let problems = ordered(diagnostics.problems)
    precondition(configuration != nil || !problems.isEmpty, "a configuration was refused without a reason")
    return SettingsReading(
        configuration: problems.isEmpty ? configuration : nil, problems: problems, knownKeys: diagnostics.knownKeys,
        files: diagnostics.files)
}

// A line feed is never part of another character, so each line can be checked separately.
private func lineOfForeignBytes(_ text: [UInt8]) -> Int? {
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }.map { $0 + 1 }
}

/// The limit of printed problems; a file with more is no configuration.
private let problemLimit = 100

// The problems by line, and within a line in the order of their discovery. Surplus problems are dropped and counted.
private func ordered(_ problems: [SettingsProblem]) -> [SettingsProblem] {
    let sorted = problems.enumerated()
        .sorted { ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset) }
        .map(\.element)
    guard sorted.count > problemLimit, let last = sorted.last else { return sorted }
    let rest = "\(sorted.count - problemLimit) more problems: correct these first"
    return sorted.prefix(problemLimit) + [SettingsProblem(file: last.file, line: last.line, text: rest)]
}
