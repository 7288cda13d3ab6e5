import Beacons
import HTTPTypes
import Hummingbird
import Linux
import PageConfiguration
import Synchronization

/// Who may use the page: users with sessions, programs with tokens.
final class Accounts: Sendable {
    /// How long a session lasts.
    static let lifetime = Interval.seconds(30 * 86_400)
    /// The limit of sessions; the oldest ends if there is one more.
    static let mostSessions = 1000
    /// The limit of failed attempts with one user's name from one address, until the next has to wait.
    static let mostFailures = 5
    /// How long that is.
    static let pause = Interval.seconds(60)
    /// The limit of pairs of address and name whose failures are counted; the oldest is forgotten if there is one more.
    static let mostAddresses = 1000
    /// The limit of passwords that are checked at once: each takes 16 MB.
    static let mostChecks = 2

    private struct Session {
        var user: String
        var role: PageSettings.Role
        var csrf: String
        var end: Instant
    }

    /// Whose failures are counted together. Another user's success clears none of them. All names that no user has count as one.
    private struct Guesser: Hashable {
        var address: String
        var user: String?
    }

    private struct State {
        /// By the SHA-256 of the cookie, so that the time of a search depends on no cookie.
        var sessions: [[UInt8]: Session] = [:]
        var failures: [Guesser: (count: Int, until: Instant)] = [:]
        var checks = 0
    }

    private let settings: PageSettings
    private let now: @Sendable () -> Instant
    private let state = Mutex(State())
    /// The text that requests repeat where nobody signs in at the page, so that no other site's page can send them.
    private let openCSRF = Secrets.random()

    /// - Parameter now: the clock that sessions and pauses go by.
    init(_ settings: PageSettings, now: @escaping @Sendable () -> Instant = { Clock.now }) {
        self.settings = settings
        self.now = now
    }

    var needsSignIn: Bool { settings.needsSignIn }

    static let cookie = "forgetmenot"

    /// Who sends a request with these headers.
    ///
    /// A wrong token is refused, also where anybody may read: a program must notice it. Another scheme than `Bearer` is that of a proxy, which passes
    /// on what a browser has sent it.
    func caller(of headers: HTTPFields) throws(Refused) -> Caller {
        if settings.isIngress { return callerOfIngress(headers) }
        let authorization = headers[.authorization]?.split(separator: " ", maxSplits: 1) ?? []
        if authorization.first?.lowercased() == "bearer" {
            let digest = Secrets.sha256(Array((authorization.count == 2 ? authorization[1] : "").utf8))
            guard let token = settings.tokens.first(where: { Secrets.areEqual($0.sha256, digest) }) else {
                throw Refused(.unauthorized, "The token is not known.", headers: Self.challenge)
            }
            return Caller(name: token.name, role: token.role, csrf: nil)
        }
        if settings.isOpen { return Caller(name: nil, role: .admin, csrf: openCSRF) }
        guard let digest = Self.digest(of: headers) else { return .nobody }
        return state.withLock { state in
            guard let session = state.sessions[digest], session.end > now() else {
                state.sessions[digest] = nil
                return .nobody
            }
            return Caller(name: session.user, role: session.role, csrf: session.csrf)
        }
    }

    /// The user whom Home Assistant has signed in. Its supervisor removes these headers from what clients send.
    private func callerOfIngress(_ headers: HTTPFields) -> Caller {
        func header(_ name: String) -> String? { HTTPField.Name("X-Remote-User-\(name)").flatMap { headers[$0] } }
        guard let id = header("Id") else { return .nobody }
        let user = header("Name")
        let readers = settings.ingressReaders
        // Where some may only read, a user without a name may not do more.
        let isReader = user.map { readers.map(Self.folded).contains(Self.folded($0)) } ?? !readers.isEmpty
        return Caller(
            name: header("Display-Name") ?? user ?? id, role: isReader ? .reader : .admin, csrf: openCSRF)
    }

    /// A name as Home Assistant compares it: without case, and without spaces around it.
    private static func folded(_ name: String) -> String {
        name.split(whereSeparator: \.isWhitespace).joined(separator: " ").uppercased().lowercased()
    }

    static let challenge: HTTPFields = [.wwwAuthenticate: "Bearer realm=\"forgetmenot\""]

    /// Checks a password and begins a session; returns the cookie's value.
    func signIn(_ name: String, _ password: String, from address: String) async throws(Refused) -> String {
        let now = now()
        let user = settings.users.first { $0.name == name }
        let guesser = Guesser(address: address, user: user?.name)
        let refusal: Refused? = state.withLock { state in
            if let failure = state.failures[guesser], failure.count >= Self.mostFailures, failure.until > now {
                let rest = Int((failure.until - now).seconds.rounded(.up))
                return Refused(
                    .tooManyRequests, "Too many attempts to sign in: wait \(rest) s.",
                    headers: [.retryAfter: "\(rest)"])
            }
            guard state.checks < Self.mostChecks else {
                return Refused(
                    .tooManyRequests, "Others sign in at the moment: try again.", headers: [.retryAfter: "1"])
            }
            state.checks += 1
            // Counted before the check, so that attempts at the same time count as well.
            let former = state.failures[guesser].flatMap { $0.until > now ? $0.count : nil } ?? 0
            state.failures[guesser] = (former + 1, now + Self.pause)
            if state.failures.count > Self.mostAddresses,
                let oldest = state.failures.min(by: { $0.value.until < $1.value.until })
            {
                state.failures[oldest.key] = nil
            }
            return nil
        }
        if let refusal { throw refusal }
        defer { state.withLock { $0.checks -= 1 } }
        // An unknown name takes as long as a wrong password.
        let stored =
            user?.password ?? settings.users.first?.password
            ?? PageSettings.Password(
                cost: PageSettings.Password.usualCost, salt: [UInt8](repeating: 0, count: 16), hash: [])
        // Not on the threads of other requests: a check takes long.
        let isRight = await Task.detached(priority: .low) { stored.isMatched(by: password) }.value
        guard isRight, let user else { throw Refused(.unauthorized, "The name or the password is wrong.") }
        let cookie = Secrets.random()
        state.withLock { state in
            state.failures[guesser] = nil
            if state.sessions.count >= Self.mostSessions,
                let oldest = state.sessions.min(by: { $0.value.end < $1.value.end })
            {
                state.sessions[oldest.key] = nil
            }
            state.sessions[Secrets.sha256(Array(cookie.utf8))] = Session(
                user: user.name, role: user.role, csrf: Secrets.random(), end: now + Self.lifetime)
        }
        return cookie
    }

    func signOut(_ headers: HTTPFields) {
        guard let digest = Self.digest(of: headers) else { return }
        state.withLock { $0.sessions[digest] = nil }
    }

    private static func digest(of headers: HTTPFields) -> [UInt8]? {
        Cookies(from: headers[values: .cookie])[cookie].map { Secrets.sha256(Array($0.value.utf8)) }
    }
}
