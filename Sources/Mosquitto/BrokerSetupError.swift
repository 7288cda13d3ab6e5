import Linux

/// Why a connection could not even be made ready.
public enum BrokerSetupError: Error, Sendable, CustomStringConvertible {
    /// The options are wrong; all their mistakes at once.
    case mistakes([BrokerMistake])
    /// The kernel has no descriptor or thread left.
    case system(SystemError)

    /// One line for each problem.
    public var description: String {
        switch self {
        case .mistakes(let mistakes): mistakes.map(\.description).joined(separator: "\n")
        case .system(let error): error.description
        }
    }
}
