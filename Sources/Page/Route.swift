import Hummingbird

/// One method of one path.
struct Route: Sendable {
    /// Who may use it.
    enum Access: Sendable {
        case anybody
        /// Whoever may read.
        case reader
        /// Whoever may change something.
        case admin
    }

    var method: HTTPRequest.Method
    /// The path behind the base path, with `{names}` of parameters, like `api/v1/items/{item}`.
    var path: String
    var access: Access
    /// The limit of the body in bytes; 0: no body.
    var mostBytes = 0
    /// The names that the query may have.
    var query: [String]
    var respond: @Sendable (Call) async throws(Refused) -> Response

    init(
        _ method: HTTPRequest.Method, _ path: String, _ access: Access, mostBytes: Int = 0, query: [String] = [],
        _ respond: @escaping @Sendable (Call) async throws(Refused) -> Response
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.mostBytes = mostBytes
        self.query = query
        self.respond = respond
        levels = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    }

    private let levels: [String]

    /// The parameters if a path matches; `nil` if not.
    func parameters(of path: [String]) -> [String: String]? {
        guard path.count == levels.count else { return nil }
        var parameters: [String: String] = [:]
        for (level, text) in zip(levels, path) {
            if level.first == "{" {
                guard !text.isEmpty else { return nil }
                parameters[String(level.dropFirst().dropLast())] = text
            } else if level != text {
                return nil
            }
        }
        return parameters
    }

    /// Whether the query has a meaning, so that another name is refused: a filter that nobody applies would be lost. What browsers load may have any
    /// query.
    var hasQuery: Bool { path.hasPrefix("api/v1/") }

    /// Whether the path has no parameter; such a route comes before one with a parameter.
    var isFixed: Bool { !path.contains("{") }
}
