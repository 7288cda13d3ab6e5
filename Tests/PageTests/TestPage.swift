import Beacons
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Linux
import Logging
import NIOCore
import NIOEmbedded
import PageConfiguration
import Settings
import Testing

@testable import Page

/// The page as it responds to requests, without a broker and without a socket.
struct TestPage {
    static let readerToken = String(repeating: "a", count: 64)
    static let adminToken = String(repeating: "b", count: 64)
    static let password = "correct horse"

    let routes: Routes
    let responder: Responder

    /// - Parameters:
    ///   - isOpen: whether nobody needs to sign in; otherwise Anna is an admin with `password`, and there is a token for each role.
    ///   - page: more lines of `[page]`.
    init(isOpen: Bool = true, page: String = "") throws {
        var text = "[page]\n\(page)"
        if !isOpen {
            let salt = [UInt8](repeating: 7, count: 16)
            let hash = try #require(Secrets.scrypt(Self.password, salt: salt, cost: 10))
            let password = PageSettings.Password(cost: 10, salt: salt, hash: hash)
            text += "[[page.user]]\nname = \"anna\"\npassword = \"\(password)\"\n"
            for (role, token) in [("reader", Self.readerToken), ("admin", Self.adminToken)] {
                let digest = hexadecimal(Secrets.sha256(Array(token.utf8)))
                text += "[[page.token]]\nname = \"\(role)\"\nsha256 = \"\(digest)\"\nrole = \"\(role)\"\n"
            }
        }
        let reading = readSettings(Array(text.utf8), file: "test.toml") { ServiceConfiguration($0) }
        let configuration = try #require(reading.configuration, "\(reading.problems)")
        let site = configuration.aggregator
        let board = Board(site.site, needsSignIn: configuration.page.needsSignIn)
        let link = try Link(site.broker, board: board)
        // No request waits for the broker: each is refused with 503.
        link.stop()
        routes = Routes(
            board: board, link: link,
            // Its clock stands still: between two requests of a test, a busy machine can let minutes pass.
            accounts: Accounts(configuration.page, now: { Instant(nanoseconds: 0) }), settings: configuration.page,
            assets: AssetFiles(), surveys: SurveyRun(link: link, board: board),
            plans: PlanStore(StateFolder(path: "/nowhere")) { (_, _) in site },
            offsets: OffsetStore(StateFolder(path: "/nowhere")) { (_, _) in site },
            subscriptions: SubscriptionStore(StateFolder(path: "/nowhere"), at: configuration.page.pushServices))
        responder = Responder(routes, connections: Connections())
    }

    /// Who sends a request: nobody, the bearer of a token, or somebody with a session.
    enum Sender: Sendable {
        case nobody
        case token(String)
        case session(cookie: String, csrf: String?)

        var headers: HTTPFields {
            switch self {
            case .nobody: [:]
            case .token(let token): [.authorization: "Bearer \(token)"]
            case .session(let cookie, let csrf): [.cookie: "forgetmenot=\(cookie)", TestPage.csrf: csrf ?? ""]
            }
        }
    }

    static let csrf = HTTPField.Name("X-Forgetmenot-CSRF")!

    /// The response to one request.
    func send(
        _ method: HTTPRequest.Method = .get, _ path: String, as sender: Sender = .nobody, _ headers: HTTPFields = [:],
        body: String? = nil
    ) async throws -> TestResponse {
        var fields = sender.headers
        if body != nil { fields[.contentType] = "application/json" }
        for field in headers { fields[field.name] = field.value }
        return try await Application(responder: responder).test(.router) { [fields] client in
            try await client.execute(
                uri: path, method: method, headers: fields, body: body.map { ByteBuffer(string: $0) })
        }
    }

    /// The status of the response to a request with this header Host, from a client at an address.
    func status(
        _ path: String, method: HTTPRequest.Method = .get, host: String = "localhost", from address: String? = nil,
        _ headers: HTTPFields = [:]
    ) async throws -> Int {
        var head = HTTPRequest(method: method, scheme: "http", authority: host, path: path)
        head.headerFields = headers
        let channel = EmbeddedChannel()
        if let address { try await channel.connect(to: SocketAddress(ipAddress: address, port: 1)).get() }
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        let source = ApplicationRequestContextSource(channel: channel, logger: Logger(label: "test"))
        return try await responder.respond(to: request, context: PageContext(source: source)).status.code
    }

    /// Anna, who has signed in.
    func anna() async throws -> Sender {
        let reply = try await send(
            .post, "/api/v1/login", body: "{\"user\":\"anna\",\"password\":\"\(Self.password)\"}")
        let text = try #require(reply.headers[.setCookie]?.split(separator: ";").first)
        let cookie = String(text.dropFirst("forgetmenot=".count))
        let caller = try routes.accounts.caller(of: Sender.session(cookie: cookie, csrf: nil).headers)
        let csrf = try #require(caller.csrf)
        return .session(cookie: cookie, csrf: csrf)
    }
}

extension TestResponse {
    /// The body as text.
    var text: String { String(buffer: body) }
}
