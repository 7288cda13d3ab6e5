import Beacons
import Glibc
import Linux
import TestBroker
import Testing

/// Messages to persons, by the real program, over a real network.
@Suite(
    .enabled(
        if: TestBroker.isInstalled && isProgramInstalled("curl"), "skipped: no mosquitto or no curl here"))
struct MessageTests {
    private static let token = String(repeating: "c0", count: 16)

    private let site: Site
    private let server: TestPushServer

    init() throws {
        site = try Site()
        server = try TestPushServer()
    }

    /// The path of a configuration with an ntfy channel for Anna, and more tables.
    private func file(page: String = Site.noPage, more: String = "") throws -> String {
        try secret("Zk3s", in: "anna.topic")
        let file = try site.aggregatorFile(page: page)
        let text = String(decoding: try readFile(at: file), as: UTF8.self)
        return try site.folder.write(
            text + "[[channel]]\nperson = \"anna\"\nkind = \"ntfy\"\nurl = \"http://127.0.0.1:\(server.port)\"\n"
                + "topic_file = \"anna.topic\"\n" + more, to: "aggregator.toml")
    }

    private func secret(_ text: String, in name: String) throws {
        chmod(try site.folder.write(text + "\n", to: name), 0o600)
    }

    /// A site on the disk in which a message was decided, as a kill behind its write leaves it.
    private func decide() throws {
        mkdir(site.folder.path("aggregator"), 0o700)
        try site.folder.write(
            """
            {"v":1,"revision":0,"items":[{"v":1,"id":"keys","name":"Keys","uuid":"f7826da6-4fa2-4e98-8024-bc5b71e0893e",\
            "major":1,"minor":2}],"regions":[],"configured":[],"states":[],"gateways":[],"messages":[\
            {"person":"anna","key":"forgotten","title":"Forgotten: keys","text":"You left without your keys.",\
            "items":["keys"],"urgent":true,"at":"\(Clock.wall)","token":"\(Self.token)","done":[]}]}
            """, to: "aggregator/site.json")
    }

    /// What is on the disk of the site.
    private var stored: String {
        ["site.json", "site.log"].map { name in
            String(decoding: (try? readFile(at: site.folder.path("aggregator/\(name)"))) ?? [], as: UTF8.self)
        }.joined()
    }

    @Test func `a message that was decided arrives once, whenever the aggregator is killed`() throws {
        let file = try file()
        try decide()
        // Twice between the request and the response.
        var bodies: [String] = []
        for _ in 0..<2 {
            let aggregator = try Program.aggregator.start("run", "--config", file)
            bodies.append(try server.take(status: nil).body)
            #expect(try aggregator.ended(by: SIGKILL).status == -SIGKILL)
        }
        var aggregator = try Program.aggregator.start("run", "--config", file)
        bodies.append(try server.take().body)
        // The same name on the phone: the second takes the place of the first.
        #expect(Set(bodies).count == 1 && bodies[0].contains("\"sequence_id\":\"forgetmenot-"))
        try wait(for: "the delivery on the disk") { stored.contains("\"done\":[\"ntfy at ") }
        for _ in 0..<2 {
            #expect(try aggregator.ended(by: SIGKILL).status == -SIGKILL)
            aggregator = try Program.aggregator.start("run", "--config", file)
            let observer = try Observer(site.broker)
            try observer.wait(forAllOf: ["forgetmenot/aggregator/info"])
            #expect(!server.isCalled(within: .milliseconds(1500)))
        }
        #expect(try aggregator.ended(by: SIGTERM).status == 0)
    }

    @Test func `a message waits for a server that fails, which is a problem until it works`() throws {
        let file = try file()
        try decide()
        let aggregator = try Program.aggregator.start("run", "--config", file)
        let observer = try Observer(site.broker)
        for status in [500, 429, 503] { _ = try server.take(status: status) }
        try observer.wait(for: "the problem") {
            observer.latest["forgetmenot/aggregator/info"]?.contains("Messages to anna reach nobody: ntfy at http:")
                == true
        }
        let request = try server.take()
        #expect(request.method == "POST" && request.path == "/" && request.body.contains("Forgotten: keys"))
        try observer.wait(for: "the end of the problem") {
            observer.latest["forgetmenot/aggregator/info"]?.contains("reach nobody") == false
        }
        #expect(try aggregator.ended(by: SIGTERM).status == 0)
    }

    @Test func `the button on the phone acknowledges over the page, once, and the message leaves the phone`() throws {
        let file = try file(page: "[page]\naddress = \"127.0.0.1:0\"\nurl = \"http://phone.example\"\n")
        try decide()
        let aggregator = try Program.aggregator.start("run", "--config", file)
        let port = try aggregator.pagePort()
        #expect(try server.take().body.contains("\"http://phone.example/acknowledge/\(Self.token)\""))
        let client = HTTPClient(port: port)
        try wait(for: "the page") { try client.get("/healthz").status == 200 }
        #expect(try client.send("POST", "/acknowledge/" + String(repeating: "0", count: 32)).status == 404)
        #expect(try client.send("POST", "/acknowledge/\(Self.token)").status == 204)
        let withdrawal = try server.take()
        #expect(withdrawal.method == "PUT" && withdrawal.path.hasPrefix("/Zk3s/forgetmenot-"))
        #expect(withdrawal.path.hasSuffix("/clear"))
        #expect(try client.send("POST", "/acknowledge/\(Self.token)").status == 404)
        #expect(try aggregator.ended(by: SIGTERM).status == 0)
    }

    @Test func `a test prints what became of the message over each channel`() throws {
        try secret("a\"long\\lived", in: "ha.token")
        let file = try file(
            more: """
                token_file = "ha.token"
                [[channel]]
                person = "anna"
                kind = "homeassistant"
                url = "http://127.0.0.1:\(server.port)/"
                service = "mobile_app_anna"
                token_file = "ha.token"
                [[channel]]
                person = "anna"
                kind = "command"
                command = ["/bin/sh", "-c", "cat > '\(site.folder.path("told"))'"]
                [[channel]]
                person = "anna"
                kind = "command"
                command = ["/nowhere/at/all"]

                """)
        let aggregator = try Program.aggregator.start("run", "--config", file)
        let observer = try Observer(site.broker)
        try observer.wait(forAllOf: ["forgetmenot/aggregator/info"])
        let command = try Program.aggregator.start("people", "test", "anna", "--config", file)
        var paths: [String] = []
        for _ in 0..<2 {
            let request = try server.take(status: 200)
            paths.append(request.path)
            #expect(request.headers.contains("Authorization: Bearer a\"long\\lived"))
            #expect(request.body.contains("Messages to you arrive here."))
        }
        #expect(Set(paths) == ["/", "/api/services/notify/mobile_app_anna"])
        let end = try command.ended()
        #expect(end.status == 1)
        #expect(end.outputLines.count == 4, "\(end)")
        #expect(end.outputLines.prefix(3).allSatisfy { $0.hasSuffix(": sent") }, "\(end)")
        #expect(end.outputLines.last == "command /nowhere/at/all: /nowhere/at/all is not installed", "\(end)")
        #expect(
            String(decoding: try readFile(at: site.folder.path("told")), as: UTF8.self).contains("\"title\":\"A test\"")
        )
        #expect(try site.ask("people", "test", "nobody").status == 66)
        let log = try aggregator.ended(by: SIGTERM)
        #expect(log.status == 0 && !log.errors.contains("lived"))
    }

    @Test func `a test takes the id or the exact name of a person, and reports a name that nobody has, each time`()
        throws
    {
        let file = try file()
        let aggregator = try Program.aggregator.start("run", "--config", file)
        let observer = try Observer(site.broker)
        try observer.wait(forAllOf: ["forgetmenot/aggregator/info"])
        for (name, id) in [("Änne", "anna"), ("Ben", "ben")] {
            #expect(try site.ask("people", "add", name, "--id", id).status == 0)
            try observer.wait(for: name) { observer.latest.keys.contains { $0.hasPrefix("forgetmenot/people/\(id)/") } }
        }
        for word in ["Änne", "anna", "Änne"] {
            let command = try Program.aggregator.start("people", "test", word, "--config", file)
            #expect(try server.take().body.contains("arrive here."))
            let end = try command.ended()
            #expect(end.status == 0 && end.output.hasSuffix(": sent\n"), "\(end)")
        }
        for (word, reason) in [
            ("Ben", "no channel of \"ben\""), ("Carl", "no person \"Carl\": \"forgetmenot people list\""),
        ] {
            for _ in 0..<2 {
                let end = try site.ask("people", "test", word)
                #expect(end.status == 66 && end.errorLines.count == 1 && end.errors.contains(reason), "\(end)")
            }
        }
        #expect(try aggregator.ended(by: SIGTERM).status == 0)
    }

    @Test func `check reports a secret that everybody can read`() throws {
        let file = try file()
        #expect(try site.ask("check").status == 0)
        chmod(site.folder.path("anna.topic"), 0o644)
        let end = try Program.aggregator.run("check", "--config", file)
        #expect(end.status == 78 && end.output.contains("anna.topic is accessible to all users: run chmod 600"))
    }

    @Test(.enabled(if: isProgramInstalled("apprise"), "skipped: no apprise here"))
    func `Apprise delivers to the services of its file`() throws {
        try secret("json://127.0.0.1:\(server.port)/told", in: "ben.apprise")
        let file = try file(more: "[[channel]]\nperson = \"ben\"\nkind = \"apprise\"\napprise_file = \"ben.apprise\"\n")
        let aggregator = try Program.aggregator.start("run", "--config", file)
        let observer = try Observer(site.broker)
        try observer.wait(forAllOf: ["forgetmenot/aggregator/info"])
        // The command waits for 4 s. On a busy machine Apprise takes longer to start.
        var output = ""
        for _ in 1...10 where !output.contains("sent") {
            let command = try Program.aggregator.start("people", "test", "ben", "--config", file)
            let request = try server.take()
            #expect(request.path == "/told" && request.body.contains("Messages to you arrive here."))
            output = try command.ended().output
        }
        #expect(output.contains("apprise (ben.apprise): sent"))
        #expect(try aggregator.ended(by: SIGTERM).status == 0)
    }
}
