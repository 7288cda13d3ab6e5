import Glibc
import Linux

/// What came of reading one configuration file.
public struct SettingsReading<Configuration> {
    /// The configuration; `nil` where there is a problem.
    public var configuration: Configuration?
    /// All that is wrong, in the order of the lines.
    public var problems: [SettingsProblem]
    /// Every key that was asked for, there or not, with its tables: `mqtt.port`, `region.uuid`. Keys of an array of tables are known
    /// once one of its tables was read.
    public var knownKeys: [String]
}

/// What becomes of tables and keys of the file's top level that nobody asked for.
public enum OtherTables: Sendable {
    /// They are problems.
    case refused
    /// They belong to other programs; only a name one letter away from a known one is a problem.
    case ignored
}

/// Reads the TOML file at `path` by `read`, which asks for every key that it knows and need not mind problems: each is noted, and so is
/// every key that it did not ask for.
///
/// - Parameter read: returns `nil` only where it has met a problem.
public func readSettings<Configuration>(
    at path: String, otherTables: OtherTables = .refused, _ read: (SettingsTable) -> Configuration?
) throws(SettingsError) -> Configuration {
    let reading = readSettings(try contents(of: path), file: path, otherTables: otherTables, read)
    guard let configuration = reading.configuration else { throw .wrong(reading.problems) }
    return configuration
}

/// Reads a TOML text as the content of the file named `file`, which need not exist.
public func readSettings<Configuration>(
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
    let journal = Journal(file: file, problems: parser.problems)
    let configuration = read(SettingsTable(journal.record(of: "", path: "", line: nil, members: members), in: journal))
    journal.noteUnknownKeys(otherTables)
    let problems = ordered(journal.problems)
    precondition(configuration != nil || !problems.isEmpty, "a configuration was refused without a reason")
    return SettingsReading(
        configuration: problems.isEmpty ? configuration : nil, problems: problems, knownKeys: journal.knownKeys)
}

/// A full registry of items fits; what is larger is another file.
private let sizeLimit = 16 << 20

private func contents(of path: String) throws(SettingsError) -> [UInt8] {
    do {
        return try readInput(at: path, limit: sizeLimit)
    } catch {
        switch error.code {
        case ENOENT, ENOTDIR: throw .noSuchFile(path)
        case EISDIR: throw .unreadable(path, reason: "it is a folder")
        case EFBIG: throw .unreadable(path, reason: "it is larger than \(sizeLimit >> 20) MiB")
        default: throw .unreadable(path, reason: error.reason)
        }
    }
}

// A line feed is part of no other character, so that lines can be looked at alone.
private func lineOfForeignBytes(_ text: [UInt8]) -> Int? {
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }.map { $0 + 1 }
}

/// More than these are not printed: the file is no configuration.
private let problemLimit = 100

// By line; of one line, as they were found. The last are dropped, and counted.
private func ordered(_ problems: [SettingsProblem]) -> [SettingsProblem] {
    let sorted = problems.enumerated()
        .sorted { ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset) }
        .map(\.element)
    guard sorted.count > problemLimit, let last = sorted.last else { return sorted }
    let rest = "\(sorted.count - problemLimit) problems more: correct these first"
    return sorted.prefix(problemLimit) + [SettingsProblem(file: last.file, line: last.line, text: rest)]
}
