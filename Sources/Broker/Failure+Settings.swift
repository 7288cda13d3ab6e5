import Linux
import Settings

extension Failure {
    /// A configuration that cannot be used.
    package init(_ error: SettingsError) {
        switch error {
        case .noSuchFile, .unreadable: self.init(.noInput, "\(error)")
        case .wrong: self.init(.configuration, "\(error)")
        }
    }
}

extension SettingsError {
    /// The result of `check`: it prints mistakes to standard output, and fails if there is no file.
    package func reportedByCheck() throws(Failure) -> ExitStatus {
        guard case .wrong = self else { throw Failure(self) }
        printLines("\(self)")
        return .configuration
    }
}
