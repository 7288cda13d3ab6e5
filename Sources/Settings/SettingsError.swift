package enum SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file does not exist. A program that was given this path exits with 66.
    case noSuchFile(String)
    /// The file cannot be read: the path, and the reason in words.
    case unreadable(String, reason: String)
    /// The file has at least one mistake; the problems are ordered by line.
    case wrong([SettingsProblem])

    /// The text to print, with one line per problem.
    package var description: String {
        switch self {
        case .noSuchFile(let path): "\(path): no such file: name the configuration with --config FILE"
        case .unreadable(let path, let reason): "\(path): cannot be read: \(reason)"
        case .wrong(let problems): problems.map(\.description).joined(separator: "\n")
        }
    }
}
