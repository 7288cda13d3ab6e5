import Beacons
import HTTPTypes
import Hummingbird
import Logging
import Messages
import NIOCore
import NIOHTTPTypes
import PageConfiguration
import Synchronization

/// What a request needs to know of its connection.
struct PageContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}

/// Responds to every request: host, route, authentication, limits, headers.
struct Responder: HTTPResponder {
    private let settings: PageSettings
    private let accounts: Accounts
    private let board: Board
    private let connections: Connections
    private let routes: [Route]
    private let securityHeaders: HTTPFields

    init(_ routes: Routes, connections: Connections) {
        settings = routes.settings
        accounts = routes.accounts
        board = routes.board
        self.connections = connections
        // A fixed path is found before one with a parameter.
        let all = routes.all
        self.routes = all.filter(\.isFixed) + all.filter { !$0.isFixed }
        let ancestors = (["'self'"] + settings.frameAncestors).joined(separator: " ")
        var headers: HTTPFields = [
            .contentSecurityPolicy:
                "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors \(ancestors)",
            .xContentTypeOptions: "nosniff",
        ]
        for (name, value) in [
            ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
        ] {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        securityHeaders = headers
    }

    private static let ofDocuments = ["content-security-policy", "cross-origin-opener-policy", "permissions-policy"]

    @Sendable func respond(to request: Request, context: PageContext) async throws -> Response {
        var response: Response
        do throws(Refused) {
            response = try await serve(request, context)
            if request.method != .head, request.headers.acceptGzip, let smaller = try? await response.compressed() {
                response = smaller
            }
            try prepare(&response, on: context.channel)
        } catch {
            response = .json(jsonObject { $0.field("error", error.sentence) }, status: error.status)
            for field in error.headers { response.headers[field.name] = field.value }
            connections.set(context.channel, isIdle: true)
        }
        // Scripts and styles come without the headers that concern only documents and workers: the first view has many of them.
        let isPart =
            ["text/javascript", "text/css"].contains { response.headers[.contentType]?.hasPrefix($0) ?? false }
            && HTTPField.Name("Service-Worker-Allowed").flatMap { response.headers[$0] } == nil
        for field in securityHeaders where !isPart || !Self.ofDocuments.contains(field.name.canonicalName) {
            response.headers[field.name] = field.value
        }
        board.responses.withLock { $0[response.status.code / 100, default: 0] += 1 }
        return response
    }

    /// Counts the bytes of a response, if it is large, until the client has taken them, in parts.
    private func prepare(_ response: inout Response, on channel: any Channel) throws(Refused) {
        let size = response.body.contentLength
        if let size, size <= Outgoing.largestPart { return connections.set(channel, isIdle: true) }
        guard let held = board.outgoing.hold(size ?? 0) else { throw Refused.tooMuchWaits }
        response.body = ResponseBody(contentLength: size) { [connections, body = response.body] writer in
            defer { connections.set(channel, isIdle: true) }
            try await body.write(PartWriter(writer))
            withExtendedLifetime(held) {}
        }
    }

    private func serve(_ request: Request, _ context: PageContext) async throws(Refused) -> Response {
        try checkClient(at: context.channel)
        // The first one is the authority. Proxies differ in which one they follow.
        guard request.headers[.secondHost] == nil else {
            throw Refused(.badRequest, "The request has two Host headers: send one.")
        }
        try checkHost(of: request)
        guard let path = levels(of: request.uri.path) else {
            throw Refused(.badRequest, "The path has an escape that is no UTF-8 text.")
        }
        var methods: [String] = []
        for route in routes {
            guard let parameters = route.parameters(of: path) else { continue }
            let isHead = request.method == .head && route.method == .get
            guard route.method == request.method || isHead else {
                methods.append(route.method.rawValue)
                continue
            }
            let caller = try await caller(of: request, for: route)
            let query = try query(of: request)
            // Clients add names like "_" so that no cache responds.
            let others = query.keys.filter { $0.first != "_" && !route.query.contains($0) }
            if route.hasQuery, let other = others.min() {
                let hint = didYouMean(other, among: route.query).map { ": \($0)" } ?? "."
                let known = route.query.isEmpty ? "none" : route.query.joined(separator: ", ")
                throw Refused(
                    .badRequest,
                    "The query has \"\(other)\", which this path does not know\(hint) Its names are: \(known).")
            }
            let call = Call(
                caller: caller, isHead: isHead, headers: request.headers,
                address: context.channel.remoteAddress?.ipAddress ?? "unknown", parameters: parameters,
                query: query, body: try await body(of: request, for: route, on: context.channel),
                cutOff: { [channel = context.channel] in channel.close(promise: nil) })
            connections.set(context.channel, isIdle: false)
            let response = try await respond(to: call, route, on: context.channel)
            return isHead ? response.createHeadResponse() : response
        }
        guard methods.isEmpty else {
            throw Refused(
                .methodNotAllowed, "This path has no method \(request.method.rawValue).",
                headers: [.allow: Set(methods).sorted().joined(separator: ", ")])
        }
        throw Refused(.notFound, "There is no such path.")
    }

    /// Carries out a request. What only reads ends when its client has gone: a report over the past may take long.
    private func respond(to call: Call, _ route: Route, on channel: any Channel) async throws(Refused) -> Response {
        guard route.method == .get else { return try await route.respond(call) }
        return try await connections.compute(for: channel) { () async -> Result<Response, Refused> in
            do throws(Refused) { return .success(try await route.respond(call)) } catch { return .failure(error) }
        }.get()
    }

    /// Refuses everybody but Home Assistant where it signs users in: other apps reach a container's port as well.
    private func checkClient(at channel: any Channel) throws(Refused) {
        guard settings.isIngress, channel.remoteAddress?.ipAddress != PageSettings.supervisor else { return }
        throw Refused(.forbidden, "With ingress = true, the page is only in Home Assistant's sidebar.")
    }

    /// Refuses names of other hosts where nobody signs in: another site's page could otherwise have its name resolved to this machine, and
    /// read (DNS rebinding).
    private func checkHost(of request: Request) throws(Refused) {
        guard settings.isOpen else { return }
        var host = (request.head.authority ?? "")[...]
        if let colon = host.lastIndex(of: ":"), host[host.index(after: colon)...].allSatisfy(\.isNumber) {
            host = host[..<colon]
        }
        if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
        guard PageSettings.isLoopback(String(host))
        else {
            throw Refused(
                .misdirectedRequest,
                "Without a user, the page is only at localhost: for a reverse proxy or another name write a [[page.user]]."
            )
        }
    }

    /// The levels of the path behind the base path, without escapes; `nil` if an escape is wrong.
    ///
    /// A reverse proxy may remove the base path or leave it.
    private func levels(of path: String) -> [String]? {
        var rest = path[...]
        if path.hasPrefix(settings.basePath) {
            rest = path.dropFirst(settings.basePath.count)
        } else if path.hasPrefix("/") {
            rest = path.dropFirst()
        }
        var levels: [String] = []
        for level in rest.split(separator: "/", omittingEmptySubsequences: false) {
            guard let text = unescaped(level) else { return nil }
            levels.append(text)
        }
        return levels.isEmpty ? [""] : levels
    }

    private func query(of request: Request) throws(Refused) -> [String: String] {
        var query: [String: String] = [:]
        for pair in (request.uri.query ?? "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = unescaped(parts[0], isQuery: true),
                let value = unescaped(parts.count > 1 ? parts[1] : "", isQuery: true)
            else { throw Refused(.badRequest, "The query has an escape that is no UTF-8 text.") }
            guard query.updateValue(value, forKey: name) == nil else {
                throw Refused(.badRequest, "The query repeats a name.")
            }
        }
        return query
    }

    private func caller(of request: Request, for route: Route) async throws(Refused) -> Caller {
        let caller = try accounts.caller(of: request.headers)
        switch (route.access, caller.role) {
        case (.anybody, _), (.reader, .some), (.admin, .admin): break
        case (_, nil):
            throw Refused(.unauthorized, "Sign in first, or send a token.", headers: Accounts.challenge)
        case (.admin, .reader): throw Refused(.forbidden, "You may read, but not change anything.")
        }
        if let csrf = caller.csrf, ![.get, .head].contains(route.method), route.access != .anybody {
            let sent = HTTPField.Name("X-Forgetmenot-CSRF").flatMap { request.headers[$0] } ?? ""
            guard Secrets.areEqual(Array(sent.utf8), Array(csrf.utf8)) else {
                throw Refused(
                    .forbidden,
                    "The header X-Forgetmenot-CSRF is missing, or not the one of this session: load the page again, or use a token."
                )
            }
        }
        return caller
    }

    private func body(of request: Request, for route: Route, on channel: any Channel) async throws(Refused) -> [UInt8] {
        guard route.mostBytes > 0 else { return [] }
        let type = request.headers[.contentType].map { $0.prefix { $0 != ";" }.lowercased() } ?? ""
        guard type.hasPrefix("application/json") || type.hasPrefix("image/") else {
            throw Refused(.unsupportedMediaType, "The body's Content-Type is not application/json.")
        }
        let tooLarge = Refused(.contentTooLarge, "The body is larger than \(route.mostBytes) bytes.")
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > route.mostBytes {
            throw tooLarge
        }
        if request.headers[.expect]?.lowercased() == "100-continue" {
            channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)), promise: nil)
        }
        do {
            return Array(buffer: try await request.body.collect(upTo: route.mostBytes))
        } catch is NIOTooManyBytesError {
            throw tooLarge
        } catch {
            throw Refused(.badRequest, "The body did not arrive.")
        }
    }
}

extension HTTPField.Name {
    /// The server takes the first Host header out, so that this finds a second one.
    fileprivate static let secondHost = HTTPField.Name("Host")!
}

/// The text behind percent escapes; `nil` if it is no UTF-8 text or has a control character.
private func unescaped(_ text: Substring, isQuery: Bool = false) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: "%"):
            guard let high = rest.popFirst().flatMap(hexadecimalValue(of:)),
                let low = rest.popFirst().flatMap(hexadecimalValue(of:))
            else { return nil }
            bytes.append(high << 4 | low)
        case UInt8(ascii: "+") where isQuery: bytes.append(0x20)
        default: bytes.append(byte)
        }
    }
    guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
    return String(validating: bytes, as: UTF8.self)
}
