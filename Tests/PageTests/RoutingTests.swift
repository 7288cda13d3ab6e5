import Beacons
import HTTPTypes
import History
import Hummingbird
import Messages
import TestBroker
import Testing

@testable import Page

/// What a request has to be before its route responds: host, path, method, query, body.
struct RoutingTests {
    @Test func `a page without users is no page for other hosts' names`() async throws {
        let page = try TestPage()
        for name in [
            "evil.example", "127.evil.example", "127.0.0.1.evil.example", "127.0.0.1000", "localhost.evil.example", "",
            "evil.example:8124",
        ] {
            #expect(try await page.status("/", host: name) == 421, "\(name)")
            #expect(try await page.status("/nothing", host: name) == 421, "\(name)")
        }
        for name in ["127.0.0.1:8124", "127.8.9.10", "localhost", "LocalHost:1", "[::1]:8124"] {
            #expect(try await page.status("/", host: name) == 200, "\(name)")
        }
        // Where one signs in, any name will do.
        #expect(try await TestPage(isOpen: false).status("/", host: "home.example") == 200)
    }

    @Test func `a path has exactly the levels of its route, with or without the base path`() async throws {
        let page = try TestPage(page: "base_path = \"/home/\"\n")
        for (path, status) in [
            ("/", 200), ("/home/", 200), ("/home/healthz", 503), ("/healthz", 503), ("/home", 404), ("/healthz/", 404),
            ("//healthz", 404), ("/home//healthz", 404), ("/assets/", 404), ("/nothing", 404), ("/HEALTHZ", 404),
            ("/api/v1/items/", 404), ("/assets/app.js", 200), ("/assets/%61pp.js", 200), ("/assets/none.js", 404),
            ("/assets/..%2fapp.js", 404), ("/%zz", 400), ("/%00", 400), ("/%ff", 400), ("/assets/a%0Ab", 400),
        ] {
            #expect(try await page.send(.get, path).status.code == status, "\(path)")
        }
    }

    @Test func `another method is refused with those that the path has`() async throws {
        let page = try TestPage()
        for (path, allowed) in [
            ("/api/v1/items", "GET, POST"), ("/api/v1/items/violin", "DELETE, PATCH"), ("/", "GET"),
            ("/api/v1/surveys/current", "DELETE"), ("/api/v1/login", "POST"),
        ] {
            for method in ["PUT", "OPTIONS", "PROPFIND"] {
                let reply = try await page.send(HTTPRequest.Method(method)!, path)
                #expect(reply.status == .methodNotAllowed && reply.headers[.allow] == allowed, "\(path): \(reply)")
                #expect(reply.text == "{\"error\":\"This path has no method \(method).\"}")
            }
        }
        #expect(try await page.send(.head, "/api/v1/login").status == .methodNotAllowed)
    }

    @Test func `an item whose id is a fixed level of another route can be changed`() async throws {
        let page = try TestPage()
        let csrf = try #require(try page.routes.accounts.caller(of: [:]).csrf)
        for id in ["export", "import"] {
            #expect(try await page.send(.delete, "/api/v1/items/\(id)", [TestPage.csrf: csrf]).status == .notFound)
            let item = RegistryItem(
                id: id, name: id, beacon: BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4))
            page.routes.board.connected()
            page.routes.board.receive(.registryItem(id), item.bytes, isRetained: false, expiresInSeconds: nil)
            page.routes.board.caughtUp()
            // The request gets as far as the aggregator, which does not run.
            let removal = try await page.send(.delete, "/api/v1/items/\(id)", [TestPage.csrf: csrf])
            #expect(removal.status == .serviceUnavailable, "\(removal)")
            let rename = try await page.send(
                .patch, "/api/v1/items/\(id)", [TestPage.csrf: csrf], body: #"{"name":"New"}"#)
            #expect(rename.status == .serviceUnavailable, "\(rename)")
        }
    }

    @Test func `HEAD has the status and the headers of GET, and no body`() async throws {
        let page = try TestPage()
        for path in ["/", "/api/v1/items", "/healthz", "/nothing", "/api/v1/stream", "/assets/app.js"] {
            let head = try await page.send(.head, path)
            if path != "/api/v1/stream" {
                let get = try await page.send(.get, path)
                #expect(head.status == get.status && head.headers[.contentType] == get.headers[.contentType], "\(path)")
            }
            if head.status == .ok { #expect(head.body.readableBytes == 0, "\(path)") }
            let length = head.headers[.contentLength]
            #expect(["/nothing", "/api/v1/stream"].contains(path) || Int(length ?? "1")! > 0, "\(path)")
        }
    }

    @Test func `a query that has no meaning is refused in a sentence`() async throws {
        let page = try TestPage()
        for (query, words) in [
            ("form=2026-11-22T14:00:00Z", #"did you mean \"from\"?"#), ("from=yesterday", "is not a time like"),
            ("limit=0", "is not a number from 1 to 1000"), ("limit=1&limit=2", "repeats a name"),
            ("item=%ff", "no UTF-8 text"), ("item=%0", "no UTF-8 text"), ("cursor=x", "is not one of a response"),
            ("from=2026-11-22T14:00:00Z&to=2026-11-22T13:00:00Z", "is not before"),
        ] {
            let reply = try await page.send(.get, "/api/v1/history?\(query)")
            #expect(reply.status == .badRequest && reply.text.contains(words), "\(query): \(reply.text)")
        }
        // A plus sign is a blank, and a name may stand alone.
        #expect(try await page.send(.get, "/api/v1/history?item=a+b&format=").status == .notFound)
    }

    @Test func `each page of a table links to the next of the same stays`() async throws {
        let (page, folder) = (try TestPage(), try TestFolder())
        let store = try HistoryStore(at: folder.path("history.sqlite"))
        page.routes.link.history = store
        let start = WallTime(milliseconds: 1_795_000_000_000)
        for item in ["a", "b"] {
            try store.add(
                (0..<5).map {
                    Change(item: item, state: Stay.State($0 % 2 == 0 ? .away : .home), at: start + .seconds(Double($0)))
                })
        }
        let query = "format=csv&limit=2&item=b&from=\(start + .seconds(1))&to=\(start + .seconds(60))"
        var (path, rows): (String?, [Substring]) = ("?\(query)", [])
        while let next = path {
            let reply = try await page.send(.get, "/api/v1/history\(next)")
            try #require(reply.status == .ok && reply.headers[.contentType]?.hasPrefix("text/csv") == true)
            rows += reply.text.split(whereSeparator: \.isNewline).dropFirst()
            path = reply.headers[HTTPField.Name("Link")!].map { String($0.dropFirst().prefix { $0 != ">" }) }
            try #require(rows.count <= 4)
        }
        #expect(rows.count == 4 && rows.allSatisfy { $0.hasPrefix("b,") }, "\(rows)")
    }

    @Test func `a body is JSON and no larger than its route's limit`() async throws {
        let page = try TestPage(isOpen: false)
        let admin = TestPage.Sender.token(TestPage.adminToken)
        for route in page.routes.all where route.mostBytes > 0 && route.access == .admin {
            let path = "/" + route.path.replacing(/\{\w+\}/, with: "none")
            let full = String(repeating: " ", count: route.mostBytes)
            let fits = try await page.send(route.method, path, as: admin, body: full).status.code
            #expect([400, 404, 415].contains(fits), "\(route.method) \(path): \(fits)")
            let over = try await page.send(route.method, path, as: admin, body: full + " ")
            #expect(over.status == .contentTooLarge, "\(route.method) \(path)")
            #expect(over.text == "{\"error\":\"The body is larger than \(route.mostBytes) bytes.\"}")
            for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
                let reply = try await page.send(route.method, path, as: admin, [.contentType: type], body: "{}")
                #expect(reply.status == .unsupportedMediaType, "\(route.method) \(path)")
            }
        }
    }

    @Test func `each response has the headers that browsers need against attacks, and is counted`() async throws {
        let page = try TestPage(page: "frame_ancestors = [\"http://homeassistant.local:8123\"]\n")
        let paths = ["/", "/api/v1/site", "/nothing", "/healthz", "/assets/index.html", "/%zz"]
        for path in paths {
            let headers = try await page.send(.get, path).headers
            let policy = try #require(headers[.contentSecurityPolicy])
            #expect(policy.contains("default-src 'self'"), "\(path)")
            #expect(policy.hasSuffix("frame-ancestors 'self' http://homeassistant.local:8123"), "\(path)")
            #expect(headers[.xContentTypeOptions] == "nosniff", "\(path)")
            #expect(headers[.accessControlAllowOrigin] == nil, "\(path)")
            for name in ["Referrer-Policy", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy"] {
                #expect(headers[HTTPField.Name(name)!] != nil, "\(path)")
            }
        }
        let script = try await page.send(.get, "/assets/app.js").headers
        #expect(script[.contentSecurityPolicy] == nil && script[.xContentTypeOptions] == "nosniff")
        #expect(script[HTTPField.Name("Permissions-Policy")!] == nil)
        #expect(try await page.send(.get, "/assets/worker.js").headers[.contentSecurityPolicy] != nil)
        let responses = page.routes.board.responses.withLock { $0 }
        #expect(responses == [2: 5, 4: 2, 5: 1])
    }

    @Test func `a file that the browser has is not sent again`() async throws {
        let page = try TestPage()
        for path in ["/", "/assets/app.js", "/api/openapi.json"] {
            let tag = try #require(try await page.send(.get, path).headers[.eTag])
            let again = try await page.send(.get, path, [.ifNoneMatch: tag])
            #expect(again.status == .notModified && again.body.readableBytes == 0 && again.headers[.eTag] == tag)
            for known in ["*", "W/\(tag)", "\"other\",\t W/\(tag)", "\(tag), \"other\""] {
                #expect(try await page.send(.get, path, [.ifNoneMatch: known]).status == .notModified, "\(known)")
            }
            for known in ["\"other\"", "", "W/", "\"*\"", "w/\(tag)"] {
                #expect(try await page.send(.get, path, [.ifNoneMatch: known]).status == .ok, "\(known)")
            }
        }
    }

    @Test func `a language comes in two parts: the sentences of the first view, and the others`() async throws {
        let page = try TestPage()
        func sentences(_ name: String) async throws -> Set<String> {
            let text = try await page.send(.get, "/assets/\(name).json").text
            return Set(try #require(try JSONValue(parsing: Array(text.utf8), limits: .list).object).members.map(\.key))
        }
        let (first, more) = (try await sentences("language-de"), try await sentences("language-de-more"))
        #expect(first.isSuperset(of: ["Now", "Skip to content", "All", "Away since {time}"]))
        #expect(more.isSuperset(of: ["Password", "Belongs to", "A test"]))
        #expect(first.isDisjoint(with: more) && first.count + more.count > 450)
    }

    @Test func `files and lists are compressed for who takes gzip, and nothing else is`() async throws {
        let page = try TestPage()
        let board = page.routes.board
        board.connected()
        for number in 0..<50 {
            let item = RegistryItem(
                id: "item-\(number)", name: "Item \(number)",
                beacon: BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: UInt16(number)))
            board.receive(.registryItem(item.id), item.bytes, isRetained: false, expiresInSeconds: nil)
        }
        board.caughtUp()
        board.flush(all: true)
        #expect(try await TestPage().send(.get, "/api/v1/items", [.acceptEncoding: "gzip"]).text == "{\"items\":[]}")
        for path in ["/", "/assets/app.js", "/api/openapi.json", "/api/v1/items", "/api/v1/items/export", "/metrics"] {
            let plain = try await page.send(.get, path)
            #expect(plain.headers[.contentEncoding] == nil, "\(path)")
            for coding in ["gzip", "br, gzip;q=0.5", "deflate,gzip"] {
                let reply = try await page.send(.get, path, [.acceptEncoding: coding])
                #expect(
                    reply.headers[.contentEncoding] == "gzip" && reply.headers[.vary] == "Accept-Encoding", "\(path)")
                #expect(Array(buffer: reply.body).starts(with: [0x1F, 0x8B]), "\(path)")
                #expect(reply.body.readableBytes < plain.body.readableBytes * 2 / 3, "\(path)")
                #expect(reply.headers[.xContentTypeOptions] != nil)
            }
            for coding in ["", "identity", "gzip;q=0", "gzip; q=0.0", "x-gzip"] {
                let reply = try await page.send(.get, path, [.acceptEncoding: coding])
                #expect(reply.headers[.contentEncoding] == nil, "\(path): \(coding)")
            }
        }
        for path in ["/healthz", "/nothing", "/api/v1/site"] {
            #expect(
                try await page.send(.get, path, [.acceptEncoding: "gzip"]).headers[.contentEncoding] == nil, "\(path)")
        }
    }

    @Test func `browsers keep the files that the page names for good, and ask for each other file`() async throws {
        let page = try TestPage()
        let folder = "assets/\(page.routes.assets.version)/"
        let text = try await page.send(.get, "/").text
        #expect(text.contains("\"\(folder)app.js\"") && !text.contains("\"assets/app.js\""))
        for (path, caching) in [
            ("/\(folder)app.js", "public, max-age=31536000, immutable"), ("/assets/app.js", "no-cache"),
            ("/assets/0123456789abcdef/app.js", "no-cache"), ("/", "no-cache"),
        ] {
            let reply = try await page.send(.get, path)
            #expect(reply.status == .ok && reply.headers[.cacheControl] == caching, "\(path)")
        }
        // Both forms of a file have tags of their own.
        let gzip: HTTPFields = [.acceptEncoding: "gzip"]
        let tag = try #require(try await page.send(.get, "/", gzip).headers[.eTag])
        #expect(try await page.send(.get, "/", [.acceptEncoding: "gzip", .ifNoneMatch: tag]).status == .notModified)
        #expect(try await page.send(.get, "/", [.ifNoneMatch: tag]).status == .ok)
    }
}
