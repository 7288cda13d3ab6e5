/// Why there is no configuration.
public enum SettingsError: Error, Hashable, Sendable {
    /// There is no such file (a program that was told to use it exits with 66).
    case noSuchFile(String)
    /// It is there and cannot be read: the path, and the reason in words.
    case unreadable(String, reason: String)
    /// It was read, and these are its mistakes: at least one, in the order of the lines.
    case wrong([SettingsProblem])
}

extension SettingsError: CustomStringConvertible {
    /// What to print: one line for each problem.
    public var description: String {
        switch self {
        case .noSuchFile(let path): "\(path): no such file"
        case .unreadable(let path, let reason): "\(path): cannot be read: \(reason)"
        case .wrong(let problems): problems.map(\.description).joined(separator: "\n")
        }
    }
}
