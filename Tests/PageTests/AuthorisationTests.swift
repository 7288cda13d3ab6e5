import HTTPTypes
import Testing

@testable import Page

/// Who may use which route: nobody, readers, admins; with a token or a session.
struct AuthorisationTests {
    /// A path of the route, of which nothing exists.
    private func path(of route: Route) -> String { "/" + route.path.replacing(/\{\w+\}/, with: "none") }

    /// A stream has no end.
    private func isStream(_ route: Route) -> Bool { ["api/v1/stream", "api/v1/nearby"].contains(route.path) }

    @Test func `each route admits those whom it names, and nobody else`() async throws {
        let page = try TestPage(isOpen: false)
        let routes = page.routes.all
        try #require(routes.count > 20)
        let session = try await page.anna()
        for route in routes {
            for (sender, isReader, isAdmin) in [
                (TestPage.Sender.nobody, false, false), (.token(TestPage.readerToken), true, false),
                (.token(TestPage.adminToken), true, true), (session, true, true),
            ] {
                let isLetIn =
                    switch route.access {
                    case .anybody: true
                    case .reader: isReader
                    case .admin: isAdmin
                    }
                guard !isStream(route) || !isLetIn, route.path != "api/v1/logout" || !isAdmin else { continue }
                // An empty body: an admin gets further than authentication, and changes nothing.
                let reply = try await page.send(
                    route.method, path(of: route), as: sender, body: route.mostBytes > 0 ? "" : nil)
                let refusal = isReader ? 403 : 401
                #expect((reply.status.code != refusal) == isLetIn, "\(sender): \(route.method) \(route.path): \(reply)")
                #expect(reply.status.code < 500 || reply.status.code == 503, "\(route.method) \(route.path): \(reply)")
                #expect((reply.headers[.wwwAuthenticate] != nil) == (reply.status == .unauthorized), "\(reply)")
            }
        }
    }

    @Test func `a token that is not known is refused by each route, and so is a bearer without a token`() async throws {
        let page = try TestPage(isOpen: false)
        for route in page.routes.all {
            let unknown = TestPage.Sender.token(String(repeating: "c", count: 64))
            let body = route.mostBytes > 0 ? "" : nil as String?
            #expect(try await page.send(route.method, path(of: route), as: unknown, body: body).status == .unauthorized)
            let bare = try await page.send(route.method, path(of: route), [.authorization: "Bearer"], body: body)
            #expect(bare.status == .unauthorized)
        }
    }

    @Test func `a proxy's own password, which it passes on, changes nothing`() async throws {
        for header in ["Basic YTpi", "Digest username=\"a\"", "Basic", ""] {
            let basic: HTTPFields = [.authorization: header]
            let page = try TestPage(isOpen: false)
            #expect(try await page.send(.get, "/", basic).status == .ok)
            #expect(try await page.send(.get, "/api/v1/items", basic).status == .unauthorized)
            let anna = try await page.anna()
            #expect(try await page.send(.get, "/api/v1/items", as: anna, basic).status == .ok)
            #expect(try await page.send(.post, "/api/v1/items", as: anna, basic, body: "{}").status == .badRequest)
            let open = try TestPage()
            #expect(try await open.send(.get, "/api/v1/items", basic).status == .ok)
            #expect(try await open.send(.post, "/api/v1/items", basic, body: "{}").status == .forbidden)
        }
    }

    @Test func `a stream ends with its session, each time`() async throws {
        let page = try TestPage(isOpen: false)
        let board = page.routes.board
        for _ in 0..<2 {
            let anna = try await page.anna()
            async let sent = page.send(.get, "/api/v1/stream", as: anna).text
            while board.census().streams == 0 { await Task.yield() }
            page.routes.accounts.signOut(anna.headers)
            board.sendTime()
            board.send("event", Array("{\"number\":1}".utf8))
            board.endStreams()
            let text = try await sent
            #expect(text.hasPrefix("retry: ") && !text.contains("\"number\":1"), "\(text)")
        }
    }

    @Test func `a session changes nothing without its own text, and reads without it`() async throws {
        let page = try TestPage(isOpen: false)
        guard case .session(let cookie, _) = try await page.anna() else { return }
        for route in page.routes.all where !isStream(route) && route.access != .anybody {
            let body = route.mostBytes > 0 ? "" : nil as String?
            for csrf in [nil, "", String(repeating: "0", count: 64)] {
                let forged = TestPage.Sender.session(cookie: cookie, csrf: csrf)
                let reply = try await page.send(route.method, path(of: route), as: forged, body: body)
                #expect((reply.status == .forbidden) == (route.method != .get), "\(route.method) \(route.path)")
            }
        }
        // The text of another session does not help.
        guard case .session(_, let other) = try await page.anna() else { return }
        let mixed = TestPage.Sender.session(cookie: cookie, csrf: other)
        #expect(try await page.send(.post, "/api/v1/items", as: mixed, body: "{}").status == .forbidden)
    }

    @Test func `a page without users lets anybody change something, but no other site's form`() async throws {
        let page = try TestPage()
        let item = #"{"name":"Bike","uuid":"f7826da6-4fa2-4e98-8024-bc5b71e0893e","major":1,"minor":2}"#
        #expect(try await page.send(.post, "/api/v1/items", body: item).status == .forbidden)
        let csrf = try #require(try page.routes.accounts.caller(of: [:]).csrf)
        #expect(try await page.send(.post, "/api/v1/items", [TestPage.csrf: csrf], body: "{}").status == .badRequest)
        #expect(
            try await page.send(.post, "/api/v1/items", [TestPage.csrf: csrf], body: item).status == .serviceUnavailable
        )
    }

    @Test func `a session begins with the password and ends with the logout, each time`() async throws {
        let page = try TestPage(isOpen: false)
        for _ in 0..<2 {
            let anna = try await page.anna()
            #expect(try await page.send(.get, "/api/v1/items", as: anna).status == .ok)
            let reply = try await page.send(.post, "/api/v1/logout", as: anna)
            #expect(reply.status == .noContent)
            #expect(reply.headers[.setCookie]?.hasPrefix("forgetmenot=; Path=/; Max-Age=0;") == true)
            #expect(try await page.send(.get, "/api/v1/items", as: anna).status == .unauthorized)
        }
        for body in [#"{"user":"anna","password":"wrong"}"#, #"{"user":"nobody","password":"correct horse"}"#] {
            #expect(try await page.send(.post, "/api/v1/login", body: body).status == .unauthorized)
        }
        // Who has not signed in learns only that one has to.
        let site = try await page.send(.get, "/api/v1/site")
        #expect(site.status == .ok && site.text.contains("\"login_required\":true") && !site.text.contains("plan"))
    }

    @Test func `the session's cookie goes only to this page, and over TLS where there is TLS`() async throws {
        let body = "{\"user\":\"anna\",\"password\":\"\(TestPage.password)\"}"
        let page = try TestPage(isOpen: false, page: "base_path = \"/home/\"\n")
        let plain = try #require(try await page.send(.post, "/home/api/v1/login", body: body).headers[.setCookie])
        #expect(plain.hasSuffix("; Path=/home/; Max-Age=2592000; HttpOnly; SameSite=Strict"), "\(plain)")
        let proxied: HTTPFields = [HTTPField.Name("X-Forwarded-Proto")!: "https"]
        let secure = try await page.send(.post, "/api/v1/login", proxied, body: body).headers[.setCookie]
        #expect(secure?.hasSuffix("; SameSite=Strict; Secure") == true)
    }

    @Test func `the session's cookie is found among others, and a wrong one is nobody's`() async throws {
        let page = try TestPage(isOpen: false)
        guard case .session(let cookie, _) = try await page.anna() else { return }
        for (text, status) in [
            ("forgetmenot=\(cookie)", 200), ("a=b; forgetmenot=\(cookie); c=d", 200),
            ("a=b;forgetmenot=\(cookie)", 200),
            ("forgetmenot=", 401), ("forgetmenot=\(cookie)0", 401), ("forgetmenotx=\(cookie)", 401),
            ("a=forgetmenot=\(cookie)", 401), ("forgetmenot", 401), ("", 401),
        ] {
            let reply = try await page.send(.get, "/api/v1/items", [.cookie: text])
            #expect(reply.status.code == status, "\(text)")
        }
    }

    @Test func `passwords cannot be tried without limit`() async throws {
        let page = try TestPage(isOpen: false)
        var statuses: [Int] = []
        for number in 0..<8 {
            let body = "{\"user\":\"anna\",\"password\":\"guess \(number)\"}"
            statuses.append(try await page.send(.post, "/api/v1/login", body: body).status.code)
        }
        #expect(statuses == [401, 401, 401, 401, 401, 429, 429, 429])
    }
}
