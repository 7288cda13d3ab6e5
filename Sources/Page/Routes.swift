import Beacons
import History
import HTTPTypes
import Hummingbird
import Messages
import PageConfiguration

/// The page's routes, and what they need.
struct Routes: Sendable {
    let board: Board
    let link: Link
    let accounts: Accounts
    let settings: PageSettings
    let assets: AssetFiles
    /// The past; `nil` if it is not stored, or not open yet.
    var store: HistoryStore? { link.history }
    let surveys: SurveyRun
    let plans: PlanStore
    let offsets: OffsetStore
    let subscriptions: SubscriptionStore
    let placements = PlacementRun()

    /// Every route. The description in `openapi.json` has the same.
    var all: [Route] {
        pages + session + reading + planRoutes + gatewayRoutes + itemRoutes + peopleRoutes + surveyRoutes
            + historyRoutes
            + metricsRoutes + messageRoutes + subscriptionRoutes
    }

    private var pages: [Route] {
        [
            Route(.get, "", .anybody) { (call) throws(Refused) in
                try assets.response("index.html", call.headers)
            },
            Route(.get, "assets/{name}", .anybody) { (call) throws(Refused) in
                try assets.response(call.parameter("name"), call.headers)
            },
            Route(.get, "assets/{version}/{name}", .anybody) { (call) throws(Refused) in
                try assets.response(call.parameter("name"), version: call.parameter("version"), call.headers)
            },
            Route(.get, "api/openapi.json", .anybody) { (call) throws(Refused) in
                try assets.response("openapi.json", call.headers)
            },
            Route(.get, "healthz", .anybody) { (_) throws(Refused) in
                guard let trouble = board.trouble() else { return .text("ok\n") }
                return .text(trouble + "\n", status: .serviceUnavailable)
            },
        ]
    }

    private var session: [Route] {
        [
            Route(.post, "api/v1/login", .anybody, mostBytes: 4096) { (call) throws(Refused) in
                let object = try call.object()
                try object.refuseOthers(than: "user", "password")
                guard let name = object["user"]?.string, let password = object["password"]?.string else {
                    throw Refused(.badRequest, "The body has no \"user\" and \"password\".")
                }
                let cookie = try await accounts.signIn(name, password, from: call.address)
                var response = Response.nothing
                response.headers[.setCookie] = cookieText(cookie, seconds: Int(Accounts.lifetime.seconds), call)
                return response
            },
            Route(.post, "api/v1/logout", .reader) { (call) throws(Refused) in
                accounts.signOut(call.headers)
                if let csrf = call.caller.csrf, accounts.needsSignIn { board.endStreams { $0.csrf == csrf } }
                var response = Response.nothing
                response.headers[.setCookie] = cookieText("", seconds: 0, call)
                return response
            },
        ]
    }

    private func cookieText(_ value: String, seconds: Int, _ call: Call) -> String {
        // A reverse proxy reports that its client uses TLS. A client that claims it without TLS only loses its own cookie.
        let proxied = HTTPField.Name("X-Forwarded-Proto").flatMap { call.headers[$0] } == "https"
        return "\(Accounts.cookie)=\(value); Path=\(settings.basePath); Max-Age=\(seconds); HttpOnly; SameSite=Strict"
            + (settings.tls != nil || proxied ? "; Secure" : "")
    }

    private var reading: [Route] {
        [
            Route(.get, "api/v1/site", .anybody) { (call) throws(Refused) in
                // Who has not signed in learns that one has to, and nothing else.
                guard call.caller.role != nil else { return .json(board.callerRow(call.caller)) }
                return .json(board.siteJSON(for: call.caller))
            },
            Route(.get, "api/v1/items", .reader) { (_) throws(Refused) in
                guard let body = board.itemsBody() else { throw Refused.tooMuchWaits }
                return Response(
                    status: .ok,
                    headers: [
                        .contentType: "application/json", .cacheControl: "no-store",
                        .contentLength: "\(body.buffer.readableBytes)",
                    ],
                    // Without a length: it is counted once for all that take it.
                    body: ResponseBody { writer in
                        try await writer.write(body.buffer)
                        try await writer.finish(nil)
                        withExtendedLifetime(body) {}
                    })
            },
            Route(.get, "api/v1/gateways", .reader) { (_) throws(Refused) in .json(board.read(\.gatewaysJSON)) },
            Route(.get, "api/v1/stream", .reader) { (call) throws(Refused) in try stream(.site, call) },
            Route(.get, "api/v1/nearby", .reader, query: ["find"]) { (call) throws(Refused) in
                try stream(.nearby(call.query["find"] ?? ""), call)
            },
        ]
    }

    private func stream(_ subject: EventStream.Subject, _ call: Call) throws(Refused) -> Response {
        if call.isHead { return Response(status: .ok, headers: [.contentType: "text/event-stream"]) }
        guard let stream = board.follow(subject, for: call.caller, cutOff: call.cutOff) else {
            throw Refused(
                .serviceUnavailable,
                "There are \(EventStream.mostReaders) streams already, or much waits for clients that read slowly.",
                headers: [.retryAfter: "30"])
        }
        if subject != .site { link.wake() }
        var headers: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store"]
        let isGzip = call.headers.acceptGzip
        if isGzip { headers[.contentEncoding] = "gzip" }
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                defer { board.unfollow(stream) }
                // With little memory: there may be many readers.
                let gzip = isGzip ? Gzip(level: 4, windowBits: 13, memoryLevel: 6) : nil
                func sent(_ buffer: ByteBuffer) -> ByteBuffer { gzip?.compressed(buffer) ?? buffer }
                try await writer.write(sent(ByteBuffer(string: "retry: 2000\n\n")))
                for await frame in stream.frames {
                    // Something is sent every 15 s: a stream does not outlive its session for longer.
                    guard (try? accounts.caller(of: call.headers)) == call.caller else { break }
                    try await writer.write(sent(frame.buffer))
                    stream.took(frame)
                }
                try await writer.finish(nil)
            })
    }
}
