import Beacons
import Glibc
import Linux
import Messages
import Settings
import SiteCore
import TestBroker
import Testing

@testable import Page
@testable import PostgreSQL

/// The web page and the HTTP interface of the real program, with a real broker.
@Suite(.enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
struct PageProgramTests {
    /// An aggregator with a page.
    private final class PagedSite {
        let site: Site
        var aggregator: RunningProgram
        var port: Int
        let file: String

        init(page: String = "", history: String = "") throws {
            site = try Site()
            let tables = "[page]\naddress = \"127.0.0.1:0\"\n\(page)"
            file = try site.aggregatorFile(["Violin": Site.violin], page: tables + "[history]\n\(history)")
            aggregator = try Program.aggregator.start("run", "--config", file)
            port = try aggregator.pagePort()
        }

        var client: HTTPClient { HTTPClient(port: port) }

        /// Waits until the page shows the present.
        func waitUntilAlive() throws {
            let deadline = Clock.now + .seconds(60)
            while try client.get("/healthz").status != 200
                || !client.get("/api/v1/items").body.contains("\"violin\"")
            {
                guard Clock.now < deadline else { throw TestBrokerError("the page shows nothing of the site") }
                poll(nil, 0, 20)
            }
        }

        /// A client that may change everything.
        func admin() throws -> HTTPClient {
            var client = client
            let site = try #require(try JSONValue(parsing: Array(client.get("/api/v1/site").body.utf8)).object)
            client.csrf = try #require(site["csrf"]?.string)
            return client
        }
    }

    private static let bike =
        #"{"name":"Bike","uuid":"f7826da6-4fa2-4e98-8024-bc5b71e0893e","major":1,"minor":2}"#

    @Test func `an item that is added appears in an open stream without a reload`() throws {
        let house = try PagedSite()
        try house.waitUntilAlive()
        let stream = try HTTPConnection(port: house.port)
        stream.send(house.client.text("GET", "/api/v1/stream"))
        #expect(stream.response(hasBody: false)?.headers["content-type"] == "text/event-stream")
        for event in ["site", "items", "gateways"] {
            #expect(stream.take(through: "event: \(event)\n") != nil)
        }
        let added = try house.admin().send("POST", "/api/v1/items", body: Self.bike)
        #expect(added.status == 201, "\(added)")
        #expect(stream.take(through: "\"item\":\"bike\"") != nil)
        let renamed = try house.admin().send("PATCH", "/api/v1/items/bike", body: #"{"name":"Blue bike"}"#)
        #expect(renamed.status == 200, "\(renamed)")
        #expect(stream.take(through: "\"name\":\"Blue bike\"") != nil)
        // A file of somebody's own, whose items have no ids.
        for (name, added) in [("Cart", 1), ("Cart", 0), ("Blue bike", 0)] {
            let item = Self.bike.replacing("\"Bike\"", with: "\"\(name)\"").replacing(
                "1", with: name == "Cart" ? "2" : "1")
            let imported = try house.admin().send("POST", "/api/v1/items/import", body: "[\(item)]")
            #expect(imported.status == 200 && imported.body.contains("\"added\":\(added)"), "\(imported)")
        }
        // Of an item that has a measured power since, a file without one is no news, and one with another is.
        let set = try house.admin().send("PATCH", "/api/v1/items/bike", body: #"{"measured_power_dbm":-61}"#)
        #expect(set.status == 200 && stream.take(through: "\"measured_power_dbm\":-61") != nil, "\(set)")
        let blue = Self.bike.replacing("Bike", with: "Blue bike")
        let same = try house.admin().send("POST", "/api/v1/items/import", body: "[\(blue),\(blue)]")
        #expect(same.body == #"{"added":0,"known":2,"refused":[]}"#, "\(same)")
        let other = try house.admin().send(
            "POST", "/api/v1/items/import", body: "[\(blue.dropLast()),\"measured_power_dbm\":-60}]")
        #expect(
            other.body.contains(#"exists with other settings (measured_power_dbm): an import changes no item."#),
            "\(other)")
        #expect(try house.admin().send("DELETE", "/api/v1/items/bike").status == 204)
        #expect(stream.take(through: "event: item_removed\ndata: {\"item\":\"bike\"}") != nil)
    }

    @Test func `a page at which nobody can sign in to change anything is reported by run, check and doctor`() throws {
        let token = "[[page.token]]\nname = \"prometheus\"\nsha256 = \"\(String(repeating: "ab", count: 32))\"\n"
        let hash = "scrypt:15:\(String(repeating: "0a", count: 16)):\(String(repeating: "0b", count: 32))"
        func user(_ role: String) -> String {
            "[[page.user]]\nname = \"anna\"\npassword = \"\(hash)\"\nrole = \"\(role)\"\n"
        }
        let words = "nobody can sign in to the page to change anything"
        for (page, isLocked) in [
            (token, true), (user("reader"), true), (token + user("admin"), false), ("", false),
        ] {
            let house = try PagedSite(page: page)
            if isLocked { _ = try house.aggregator.complaint(of: words) }
            for _ in 1...2 {
                let check = try Program.aggregator.run("check", "--config", house.file)
                #expect(check.status == 0 && check.output.isEmpty, "\(check)")
                #expect(check.errorLines.count == (isLocked ? 1 : 0), "\(check)")
                #expect(check.errors.contains(words) == isLocked, "\(check)")
                let doctor = try Program.aggregator.run("doctor", "--config", house.file)
                #expect(doctor.output.contains(words) == isLocked, "\(doctor)")
            }
            let end = try house.aggregator.ended(by: SIGTERM)
            #expect(end.status == 0 && end.errors.contains(words) == isLocked, "\(end)")
        }
    }

    @Test func `who expects to be asked for a body is asked for it, each time, and two Host headers are refused`()
        throws
    {
        let house = try PagedSite()
        try house.waitUntilAlive()
        let admin = try house.admin()
        for name in ["Bike", "Cart"] {
            let body = Self.bike.replacing("\"Bike\"", with: "\"\(name)\"").replacing(
                "\"minor\":2", with: "\"minor\":\(name.utf8.first!)")
            let connection = try HTTPConnection(port: house.port)
            let request = admin.text("POST", "/api/v1/items", ["Expect": "100-continue"], body: body)
            connection.send(String(request.dropLast(body.count)))
            #expect(connection.take(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            connection.send(body)
            #expect(connection.response()?.status == 201)
            // The connection goes on.
            connection.send(admin.text("GET", "/healthz"))
            #expect(connection.response()?.status == 200)
            for hosts in ["localhost\r\nHost: other.example", "other.example\r\nHost: localhost"] {
                connection.send(admin.text("GET", "/healthz", ["Host": hosts]))
                let refused = connection.response()
                #expect(refused?.status == 400 && refused?.body.contains("two Host headers") == true)
            }
        }
    }

    @Test func `what cannot be is refused in a sentence`() throws {
        let house = try PagedSite()
        try house.waitUntilAlive()
        let admin = try house.admin()
        for (method, path, body, status) in [
            ("POST", "/api/v1/items", "{}", 400), ("POST", "/api/v1/items", "[", 400),
            (
                "POST", "/api/v1/items",
                #"{"name":" ","uuid":"f7826da6-4fa2-4e98-8024-bc5b71e0893e","major":1,"minor":2}"#, 400
            ),
            ("PATCH", "/api/v1/items/nothing", #"{"name":"x"}"#, 404), ("PATCH", "/api/v1/items/violin", "{}", 400),
            ("PATCH", "/api/v1/items/violin", #"{"name":"Fiddle"}"#, 409),
            ("PATCH", "/api/v1/items/violin", #"{"colour":"red"}"#, 400),
            ("PATCH", "/api/v1/items/violin", #"{"notify":{"from":"07:00"}}"#, 400),
            ("POST", "/api/v1/items", Self.bike.dropLast() + #","notify":{"to":"07:00"}}"#, 400),
            ("POST", "/api/v1/items/import", "[" + Self.bike.dropLast() + #","notify":{"to":"07:00"}}]"#, 400),
            ("POST", "/api/v1/items/import", "{}", 400),
            ("POST", "/api/v1/surveys", #"{"item":"violin","room":"Kitchen","for_s":1}"#, 400),
        ] {
            let reply = try admin.send(method, path, body: body)
            #expect(reply.status == status, "\(method) \(path) \(body): \(reply)")
            #expect(reply.body.hasPrefix("{\"error\":\""), "\(reply)")
        }
        // A key that nobody reads is named, with the one that was probably meant, and nothing is done.
        let tag = #""uuid":"f7826da6-4fa2-4e98-8024-bc5b71e0893e","major":1,"minor":2"#
        for (method, path, body, words) in [
            ("POST", "items", "{\"name\":\"Bike\",\(tag),\"notify\":{\"when\":\"left\"}}", ["when"]),
            ("POST", "items", "{\"name\":\"Bike\",\(tag),\"notify\":{\"lefft\":true}}", ["lefft", "\\\"left\\\""]),
            ("POST", "items", "{\"name\":\"Bike\",\(tag),\"sleep\":true}", ["sleep", "\\\"sleeps\\\""]),
            ("POST", "items", "{\"nmae\":\"Bike\",\(tag)}", ["nmae", "\\\"name\\\""]),
            (
                "POST", "items/import", "[{\"name\":\"Bike\",\(tag),\"notify\":{\"when\":\"left\"}}]",
                ["item 0", "when"]
            ),
            ("PATCH", "items/violin", #"{"notify":{"when":"left"}}"#, ["when"]),
            ("PATCH", "items/violin", #"{"notify":{"left":true},"sleep":true}"#, ["sleep", #"\"sleeps\""#]),
            ("POST", "surveys", #"{"item":"violin","room":"Kitchen","for":20}"#, [#"\"for\""#, #"\"for_s\""#]),
            ("POST", "login", #"{"user":"anna","password":"x","remember":true}"#, ["remember"]),
            ("DELETE", "items/violin?pst=true", "", ["pst", #"\"past\""#]),
            ("GET", "history?form=2026-11-22T14:00:00Z", "", [#"\"from\""#, "from, to, item, limit"]),
            ("GET", "items?floor=3", "", [#"\"floor\""#, "names are: none"]),
            ("GET", "stream?item=violin", "", ["item"]), ("POST", "items?dry=1", Self.bike, ["dry"]),
        ] {
            let reply = try admin.send(method, "/api/v1/\(path)", body: body.isEmpty ? nil : body)
            #expect(reply.status == 400, "\(method) \(path) \(body): \(reply)")
            for word in words { #expect(reply.body.contains(word), "\(method) \(path) \(body): \(reply)") }
        }
        #expect(try house.client.get("/api/v1/items").body.contains("bike") == false)
        #expect(try admin.send("DELETE", "/api/v1/items/violin?past=maybe").status == 400)
        #expect(try admin.get("/api/v1/history?from=yesterday").status == 400)
        #expect(try admin.get("/api/v1/history?step=59").body.contains("from 60 to 86400"))
        #expect(try admin.get("/api/v1/history?step=60&from=0001-01-01T00:00:00Z").body.contains("10000 steps"))
        // What a browser loads may carry any query, and any path a name that keeps caches out.
        for path in ["/?utm=1", "/assets/app.js?7", "/api/openapi.json?x", "/healthz?x=1", "/api/v1/items?_=7"] {
            #expect(try admin.get(path).status == 200, "\(path)")
        }
        #expect(try admin.get("/api/v1/nothing").status == 404)
        #expect(try admin.send("PUT", "/api/v1/items").headers["allow"] == "GET, POST")
        let large = String(repeating: "x", count: 70_000)
        #expect(try admin.send("POST", "/api/v1/items", body: "\"\(large)\"").status == 413)
        #expect(try admin.send("POST", "/api/v1/items", ["Content-Type": "text/plain"], body: "{}").status == 415)
    }

    @Test func `the past of an item that was removed can still be deleted, again and again`() throws {
        let house = try PagedSite(history: "commit_within = \"0s\"\n")
        try house.waitUntilAlive()
        func stays() throws -> Int {
            let body = try house.client.get("/api/v1/history?item=bike").body
            return try JSONValue(parsing: Array(body.utf8), limits: .list).object?["stays"]?.array?.count ?? 0
        }
        for _ in 0..<2 {
            #expect(try house.admin().send("POST", "/api/v1/items", body: Self.bike).status == 201)
            let deadline = Clock.now + .seconds(30)
            while try stays() == 0, Clock.now < deadline { poll(nil, 0, 50) }
            #expect(try house.admin().send("DELETE", "/api/v1/items/bike").status == 204)
            #expect(try stays() > 0)
            #expect(try house.admin().send("DELETE", "/api/v1/items/bike").status == 404)
            #expect(try house.admin().send("DELETE", "/api/v1/items/bike?past=true").status == 204)
            #expect(try stays() == 0)
            #expect(try house.admin().send("DELETE", "/api/v1/items/bike?past=true").status == 404)
        }
    }

    @Test func `a plan that is drawn on the page is used, is checked, and survives a restart`() throws {
        let house = try PagedSite()
        try house.waitUntilAlive()
        #expect(try house.client.get("/api/v1/plan").status == 404)
        let kitchen = #"{"name":"Kitchen","polygon_m":[[0,0],[4,0],[4,3],[0,3]]}"#
        func plan(_ rooms: String, rest: String = "") -> String {
            "{\"floors\":[{\"floor\":0,\"name\":\"Downstairs\",\"rooms\":[\(rooms)]}]\(rest)}"
        }
        let hall = #"{"name":"Hall \"\u00df\"","polygon_m":[[4,0],[6,0],[6,3],[4,3]]}"#
        let picture = try house.admin().send(
            "POST", "/api/v1/plan/pictures", ["Content-Type": "image/jpeg"], body: "\u{FF}\u{D8}")
        #expect(picture.status == 415)
        let rest =
            #","doors":[{"between":["Kitchen","Hall \"ß\""],"at_m":[4,1.5]}],"gateways":[{"id":"g","x_m":1,"y_m":1,"floor":0,"room":"Kitchen"}]"#
        #expect(
            try house.admin().send("PUT", "/api/v1/plan", body: plan("\(kitchen),\(hall)", rest: rest)).status == 204)
        for _ in 0..<2 {
            let reply = try house.client.get("/api/v1/plan")
            #expect(reply.status == 200 && reply.body.contains(#""name":"Hall \"ß\"""#), "\(reply)")
            #expect(reply.body.contains(#""floor":0,"name":"Downstairs""#), "\(reply)")
            #expect(
                reply.body.contains(#""id":"g""#) && reply.body.contains(#""room":"Kitchen""#)
                    && reply.body.contains(#""at_m":[4"#), "\(reply)")
            _ = try house.aggregator.ended(by: SIGTERM)
            house.aggregator = try Program.aggregator.start("run", "--config", house.file)
            house.port = try house.aggregator.pagePort()
            try house.waitUntilAlive()
        }
        for (body, sentence) in [
            (plan("\(kitchen),\(kitchen)"), "Kitchen"),
            (plan(#"{"name":"Kitchen","polygon_m":[[0,0],[4,0]]}"#), "polygon_m"),
            (plan(kitchen, rest: #","gateways":[{"id":"g","x_m":90,"y_m":1}]"#), "outside"),
            (plan(kitchen, rest: #","doors":[{"between":["Kitchen","Attic"]}]"#), "Attic"),
            (plan(kitchen, rest: #","pictures":[{"name":"../../etc/passwd","x_m":0,"y_m":0,"width_m":1}]"#), "picture"),
            ("{}", "floors"), (#"{"floors":null}"#, "floors"), (#"{"floor":[]}"#, #"\"floors\""#),
            (#"{"floors":[{"floor":0,"room":[\#(kitchen)]}]}"#, #"\"rooms\""#),
            (plan(kitchen, rest: #","door":[]"#), #"\"doors\""#),
            (plan(#"{"name":"Kitchen","polygon":[[0,0],[4,0],[4,3]]}"#), #"\"polygon_m\""#),
            (plan(kitchen, rest: #","doors":[{"between":["Kitchen","Hall"],"at":[4,1.5]}]"#), #"\"at\" is no key"#),
            (plan(kitchen, rest: #","gateways":[{"id":"g","x":1,"y_m":1}]"#), #"\"x\" is no key"#),
            (plan(kitchen, rest: #","pictures":[{"nam":"0123456789abcdef"}]"#), #"\"name\""#),
            (#"{"floors":7}"#, "floors"), (#"{"floors":[{"rooms":[{"name":{}}]}]}"#, "name"), ("[]", "object"),
        ] {
            let reply = try house.admin().send("PUT", "/api/v1/plan", body: body)
            #expect(reply.status == 400 && reply.body.contains(sentence), "\(body): \(reply)")
        }
        // What was refused has deleted nothing. What the page got can be sent back, and an empty list deletes the plan, each time.
        let drawn = try house.client.get("/api/v1/plan").body
        #expect(drawn.contains(#""name":"Hall \"ß\"""#))
        for _ in 0..<2 {
            #expect(try house.admin().send("PUT", "/api/v1/plan", body: drawn).status == 204)
            #expect(try house.client.get("/api/v1/plan").body == drawn)
            #expect(try house.admin().send("PUT", "/api/v1/plan", body: #"{"floors":[]}"#).status == 204)
            #expect(try house.client.get("/api/v1/plan").status == 404)
        }
        // Of two who change the same plan, the second one learns of the first, each time.
        let anew = #"{"floors":[]}"#
        #expect(try house.admin().send("PUT", "/api/v1/plan", body: drawn).status == 204)
        for _ in 0..<2 {
            let tag = try #require(try house.client.get("/api/v1/plan").headers["etag"])
            let known = try house.client.send("GET", "/api/v1/plan", ["If-None-Match": "W/\(tag), \"other\""])
            #expect(known.status == 304 && known.body.isEmpty && known.headers["etag"] == tag, "\(known)")
            #expect(try house.client.send("GET", "/api/v1/plan", ["If-None-Match": "\"other\""]).status == 200)
            for matching in [tag, "W/\(tag)", "*", "\"old\", \(tag)"] {
                let reply = try house.admin().send("PUT", "/api/v1/plan", ["If-Match": matching], body: drawn)
                #expect(reply.status == 204)
            }
            #expect(try house.admin().send("PUT", "/api/v1/plan", ["If-Match": tag], body: plan(kitchen)).status == 204)
            for body in [drawn, anew] {
                let late = try house.admin().send("PUT", "/api/v1/plan", ["If-Match": tag], body: body)
                #expect(late.status == 412 && late.body.contains("Somebody else"), "\(late)")
            }
            #expect(try !house.client.get("/api/v1/plan").body.contains("Hall"))
            #expect(try house.admin().send("PUT", "/api/v1/plan", body: drawn).status == 204)
        }
        // While the aggregator takes up one plan, the page has the next one already, and does not go back.
        for body in (0..<30).flatMap({ _ in [plan(kitchen), drawn] }) {
            #expect(try house.admin().send("PUT", "/api/v1/plan", body: body).status == 204)
            #expect(try house.client.get("/api/v1/plan").body.contains("Hall") == (body == drawn))
        }
        #expect(try house.admin().send("PUT", "/api/v1/plan", body: anew).status == 204)
        let large = plan(kitchen, rest: ",\"x\":\"\(String(repeating: "x", count: PlanStore.mostBytes))\"")
        #expect(try house.admin().send("PUT", "/api/v1/plan", body: large).status == 413)
        #expect(try Program.aggregator.start("check", "--config", house.file).ended().status == 0)
        // A plan in the configuration file takes precedence, and is not changed by the page.
        let text = String(decoding: try readFile(at: house.file), as: UTF8.self)
        _ = try house.site.folder.write(
            text + "[[room]]\nname = \"Shed\"\npolygon_m = [[0, 0], [1, 0], [1, 1]]\n", to: "aggregator.toml")
        let reply = try house.admin().send("PUT", "/api/v1/plan", body: plan(kitchen))
        #expect(reply.status == 409 && reply.body.contains("aggregator.toml has a plan"), "\(reply)")
    }

    @Test func `a plan of too many rooms is refused, and a stored one stops no start`() throws {
        let house = try PagedSite()
        try house.waitUntilAlive()
        func plan(_ rooms: Int) -> String {
            let rooms = (0..<rooms).map { number in
                let (x, y) = (number % 40, number / 40)
                return
                    "{\"name\":\"R\(number)\",\"polygon_m\":[[\(x),\(y)],[\(x + 1),\(y)],[\(x + 1),\(y + 1)],[\(x),\(y + 1)]]}"
            }
            return "{\"floors\":[{\"floor\":0,\"rooms\":[\(rooms.joined(separator: ","))]}]}"
        }
        let most = SiteConfiguration.mostOutlines
        for _ in 0..<2 {
            let reply = try house.admin().send("PUT", "/api/v1/plan", body: plan(most + 1))
            #expect(reply.status == 400 && reply.body.contains("at most \(most)"), "\(reply)")
        }
        #expect(try house.client.get("/api/v1/plan").status == 404)
        #expect(try house.admin().send("PUT", "/api/v1/plan", body: plan(most)).status == 204)
        // As a version without the limit may have stored it.
        _ = try house.site.folder.write(
            (0...most).map {
                "[[room]]\nname = \"R\($0)\"\npolygon_m = [[\($0), 0], [\($0 + 1), 0], [\($0 + 1), 1]]\n"
            }.joined(), to: "aggregator/plan.toml")
        #expect(try Program.aggregator.start("check", "--config", house.file).ended().status == 78)
        for _ in 0..<2 {
            _ = try house.aggregator.ended(by: SIGTERM)
            house.aggregator = try Program.aggregator.start("run", "--config", house.file)
            house.port = try house.aggregator.pagePort()
            try house.waitUntilAlive()
            let site = try house.client.get("/api/v1/site").body
            #expect(site.contains("The plan that was drawn on the page is not used"), "\(site)")
        }
        #expect(try house.admin().send("PUT", "/api/v1/plan", body: plan(2)).status == 204)
        let deadline = Clock.now + .seconds(30)
        while try house.client.get("/api/v1/site").body.contains("is not used") {
            guard Clock.now < deadline else { throw TestBrokerError("the problem stays") }
            poll(nil, 0, 50)
        }
        #expect(try house.client.get("/api/v1/plan").status == 200)
    }

    @Test func `a receiver offset that is set on the page is used, and that of aggregator.toml takes precedence`()
        throws
    {
        let house = try PagedSite(history: "[[gateway]]\nid = \"hall\"\nrssi_offset_db = -3.0\n")
        try house.waitUntilAlive()
        let observer = try Observer(house.site.broker)
        _ = try PublishedGateway("kitchen", room: "Kitchen", over: observer)
        let admin = try house.admin()
        func gateway() throws -> String { try house.client.get("/api/v1/gateways").body }
        func wait(for words: String = "\"kitchen\"", without others: String = "\"nothing\"") throws {
            let deadline = Clock.now + .seconds(30)
            while case let body = try gateway(), !body.contains(words) || body.contains(others) {
                guard Clock.now < deadline else { throw TestBrokerError("\(words) is not in \(try gateway())") }
                poll(nil, 0, 50)
            }
        }
        try wait()
        func set(_ offset: String, of id: String = "kitchen") throws -> Int {
            try admin.send("PATCH", "/api/v1/gateways/\(id)", body: "{\"rssi_offset_db\":\(offset)}").status
        }
        #expect(try set("4.5") == 204)
        try wait(for: "\"rssi_offset_db\":4.5,\"rssi_offset_from\":\"page\"")
        let file = "\(house.site.folder.path("aggregator"))/offsets.toml"
        #expect(
            String(decoding: try readFile(at: file), as: UTF8.self).contains("id = \"kitchen\"\nrssi_offset_db = 4.5"))
        #expect(try Program.aggregator.run("check", "--config", house.file).status == 0)
        #expect(try set("null") == 204)
        try wait(without: "rssi_offset_from\":\"page\"")
        #expect(try set("4.5", of: "nowhere") == 404)
        #expect(try set("-51") == 400 && set("\"loud\"") == 400)
        #expect(try set("1", of: "hall") == 409)
        // A configuration that cannot be reloaded: neither an offset nor a plan is accepted.
        let text = String(decoding: try readFile(at: house.file), as: UTF8.self)
        for _ in 0..<2 {
            _ = try house.site.folder.write(text + "[pgae]\n", to: "aggregator.toml")
            let refused = try admin.send("PATCH", "/api/v1/gateways/kitchen", body: #"{"rssi_offset_db":7}"#)
            #expect(refused.status == 409 && refused.body.contains("pgae"), "\(refused)")
            #expect(try !gateway().contains("\"rssi_offset_db\":7"))
            #expect(String(decoding: try readFile(at: file), as: UTF8.self).contains("7") == false)
            let plan = try admin.send("PUT", "/api/v1/plan", body: #"{"floors":[]}"#)
            #expect(plan.status == 409 && plan.body.contains("pgae"), "\(plan)")
            _ = try house.site.folder.write(text, to: "aggregator.toml")
            #expect(try set("1.5") == 204 && set("null") == 204)
        }
        try house.site.folder.write("[[gateway]]\nid = \"kitchen\"\n", to: "aggregator/offsets.toml")
        let check = try Program.aggregator.run("check", "--config", house.file)
        #expect(check.status == 78 && check.output.contains("offsets.toml:1: "), "\(check)")
    }

    @Test(.timeLimit(.minutes(5)), .enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
    func `the aggregator is asked for one of two surveys that begin at once, each time`() async throws {
        let broker = try TestBroker()
        let text = "[mqtt]\nhost = \"127.0.0.1\"\nport = \(broker.port)\n"
        let reading = readSettings(Array(text.utf8), file: "test.toml") { AggregatorConfiguration($0) }
        let configuration = try #require(reading.configuration)
        let board = Board(configuration.site, needsSignIn: false)
        let link = try Link(configuration.broker, board: board)
        let surveys = SurveyRun(link: link, board: board)
        try link.start()
        defer { link.stop() }
        for _ in 0..<2 {
            // No aggregator responds: the request that was sent fails last.
            let refusals = await withTaskGroup(of: String.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        do throws(Refused) {
                            _ = try await surveys.start(SurveyRequest(room: "Kitchen", item: "violin"))
                            return ""
                        } catch {
                            return error.sentence
                        }
                    }
                }
                return await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(refusals.count == 2 && refusals[0].contains("runs already"), "\(refusals)")
            #expect(refusals.last?.contains("runs already") == false, "\(refusals)")
        }
    }

    @Test func `idle connections of any number keep nobody away`() throws {
        let house = try PagedSite()
        try house.waitUntilAlive()
        var idle: [HTTPConnection] = []
        for number in 0..<(Connections.most + 8) {
            let connection = try HTTPConnection(port: house.port)
            // Some wait in the middle of a request.
            if number % 2 == 0 { connection.send("GET /api") }
            if number % 3 == 0 { connection.send(house.client.text("GET", "/healthz")) }
            idle.append(connection)
        }
        for _ in 0..<2 { #expect(try house.client.get("/healthz").status == 200) }
        withExtendedLifetime(idle) {}
    }

    @Test func `two hundred readers that take nothing stall nobody`() throws {
        let house = try PagedSite()
        try house.waitUntilAlive()
        var readers: [HTTPConnection] = []
        for _ in 0..<200 {
            let reader = try HTTPConnection(port: house.port)
            reader.send(house.client.text("GET", "/api/v1/stream"))
            readers.append(reader)
        }
        for reader in readers { #expect(reader.response(hasBody: false)?.status == 200) }
        #expect(try house.admin().send("POST", "/api/v1/items", body: Self.bike).status == 201)
        for reader in readers { #expect(reader.take(through: "\"item\":\"bike\"") != nil) }
    }

    @Test(arguments: [
        "GARBAGE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /%00 HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /api/v1/items?a=%ff HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /assets/..%2f..%2fetc%2fpasswd HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: -5\r\n\r\n",
        "POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: A LONG TEXT\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n",
    ])
    func `a malformed request is the client's mistake`(request: String) throws {
        let house = try PagedSite()
        let connection = try HTTPConnection(port: house.port)
        // The text is put in here, because the log prints each argument.
        connection.send(request.replacing("A LONG TEXT", with: String(repeating: "y", count: 100_000)))
        connection.finish()
        if let reply = connection.response() {
            #expect((400..<500).contains(reply.status) && reply.body.contains("\"error\":"), "\(reply)")
        }
        // The page goes on.
        #expect(try house.client.get("/").status == 200)
    }

    @Test func `without the port there is a problem, beside that of the history's copy, and a service`() throws {
        let first = try PagedSite()
        let file = try first.site.folder.write(
            "state_directory = \"other\"\n[mqtt]\nhost = \"localhost\"\nport = \(first.site.broker.port)\nprefix = \"other\"\nclient_id = \"other\"\n"
                + "[page]\naddress = \"127.0.0.1:\(first.port)\"\n"
                + "[history]\ndatabase = \"postgresql://nobody@127.0.0.1:1/none?connect_timeout=2\"\n", to: "other.toml"
        )
        let observer = try Observer(first.site.broker, filters: ["other/#"])
        let second = try Program.aggregator.start("run", "--config", file)
        try second.complaint(of: "There is no page: 127.0.0.1:\(first.port) cannot be bound")
        try observer.wait(for: "both problems in info") {
            let info = observer.latest["other/aggregator/info"] ?? ""
            return info.contains("There is no page") && info.contains("The copy of the history in PostgreSQL cannot")
        }
    }

    @Test func `a kill during a write leaves the history as it was, and the event log brings the rest`() throws {
        let house = try PagedSite(history: "commit_within = \"0s\"\n")
        try house.waitUntilAlive()
        func stays(_ port: Int) throws -> Int {
            let body = try HTTPClient(port: port).get("/api/v1/history?item=violin").body
            return try JSONValue(parsing: Array(body.utf8), limits: .list).object?["stays"]?.array?.count ?? 0
        }
        let deadline = Clock.now + .seconds(120)
        while try stays(house.port) == 0, Clock.now < deadline { poll(nil, 0, 50) }
        let before = try stays(house.port)
        #expect(before > 0)
        for _ in 0..<3 {
            _ = try house.aggregator.ended(by: SIGKILL)
            house.aggregator = try Program.aggregator.start("run", "--config", house.file)
            let port = try house.aggregator.pagePort()
            // The history is opened beside the start.
            let deadline = Clock.now + .seconds(120)
            while try HTTPClient(port: port).get("/api/v1/history").status == 503, Clock.now < deadline {
                poll(nil, 0, 50)
            }
            #expect(try HTTPClient(port: port).get("/api/v1/history").status == 200)
            #expect(try stays(port) >= before)
        }
    }

    @Test(.enabled(if: TestDatabase.isInstalled, "skipped: no PostgreSQL server here"))
    func `the history is copied to PostgreSQL, and what happened during an outage follows`() throws {
        let database = try TestDatabase()
        database.kill()
        let house = try PagedSite(
            history: "commit_within = \"0s\"\ndatabase = \"\(database.address)\"\nsite = \"flat\"\n")
        try house.waitUntilAlive()
        let problem = "The copy of the history in PostgreSQL cannot be written"
        // Not in the log: there its place among the lines of the start is by chance.
        let patience = Clock.now + .seconds(60)
        while try !house.client.get("/api/v1/site").body.contains(problem), Clock.now < patience { poll(nil, 0, 50) }
        #expect(try house.client.get("/api/v1/site").body.contains(problem))
        // The page goes on without the database.
        #expect(try house.client.get("/api/v1/history").status == 200)
        try database.start()
        let copy = Database(database.address, setUp: "SELECT 1")
        func wait(for item: String, until isThere: Bool) throws {
            let deadline = Clock.now + .seconds(90)
            while (try? copy.query("SELECT 1 FROM stay WHERE site = 'flat' AND item = $1 LIMIT 1", item))
                != (isThere ? "1" : .some(nil))
            {
                guard Clock.now < deadline else {
                    throw TestBrokerError("the copy has \(isThere ? "no" : "a") stay of the \(item)")
                }
                poll(nil, 0, 100)
            }
        }
        try wait(for: "violin", until: true)
        let admin = try house.admin()
        #expect(try admin.send("POST", "/api/v1/items", body: Self.bike).status == 201)
        try wait(for: "bike", until: true)
        #expect(try admin.send("DELETE", "/api/v1/items/bike?past=true").status == 204)
        try wait(for: "bike", until: false)
        try wait(for: "violin", until: true)
    }

    @Test func `the metrics are as Prometheus wants them`() throws {
        let places: [String] = ["/usr/bin/promtool", "/usr/local/bin/promtool"]
        let promtool = places.first { access($0, X_OK) == 0 }
        let house = try PagedSite()
        let reply = try house.client.get("/metrics")
        #expect(reply.headers["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
        #expect(reply.body.contains("\nforgetmenot_items{presence=\"home\"} "))
        guard let promtool else {
            print("skipped: promtool check metrics, as Debian's package prometheus is not installed")
            return
        }
        let file = try house.site.folder.write(reply.body, to: "metrics")
        let check = try RunningProgram(["/bin/sh", "-c", "\(promtool) check metrics < \(file)"]).ended()
        #expect(check.status == 0, "\(check)")
    }

}
