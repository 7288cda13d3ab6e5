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

/// Returns the configuration that `read` reads; one that cannot be used is a failure.
package func usable<Configuration>(
    _ read: @autoclosure () throws(SettingsError) -> Configuration
) throws(Failure) -> Configuration {
    do { return try read() } catch { throw Failure(error) }
}

extension SettingsError {
    /// The result of `check`: it prints mistakes to standard output, and fails if there is no file.
    package func reportedByCheck() throws(Failure) -> ExitStatus {
        guard case .wrong = self else { throw Failure(self) }
        printLines("\(self)")
        return .configuration
    }
}
