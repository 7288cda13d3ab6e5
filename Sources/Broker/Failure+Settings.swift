import Linux
import Settings

extension Failure {
    /// A configuration that cannot be used.
    public init(_ error: SettingsError) {
        switch error {
        case .noSuchFile, .unreadable: self.init(.noInput, "\(error)")
        case .wrong: self.init(.configuration, "\(error)")
        }
    }
}

extension SettingsError {
    /// What `check` makes of it: the mistakes are its answer, on standard output; a file that is not there is its failure.
    public func toldByCheck() throws(Failure) -> ExitStatus {
        guard case .wrong = self else { throw Failure(self) }
        printLines("\(self)")
        return .configuration
    }
}
