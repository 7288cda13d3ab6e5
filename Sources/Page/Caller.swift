import PageConfiguration

/// Who sends a request, and what they may do.
struct Caller: Hashable, Sendable {
    /// The name of the user or of the token; `nil` if nobody signed in.
    var name: String?
    /// What the caller may do; `nil`: only what anybody may.
    var role: PageSettings.Role?
    /// The text that a request with a session has to repeat in a header; `nil` if the request carries a token.
    var csrf: String?

    /// Somebody who has not signed in.
    static let nobody = Caller()
}
