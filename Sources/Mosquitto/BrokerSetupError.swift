import Linux

/// Why a connection cannot be set up.
package enum BrokerSetupError: Error, Sendable, CustomStringConvertible {
    /// The files that the options name cannot be used.
    case mistakes([FileProblem])
    /// The kernel has no more descriptors or threads.
    case system(SystemError)

    /// The problems, one per line.
    package var description: String {
        switch self {
        case .mistakes(let mistakes): mistakes.map(\.description).joined(separator: "\n")
        case .system(let error): error.description
        }
    }
}
