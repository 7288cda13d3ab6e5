import Glibc
import Linux
import TestBroker
import Testing

/// `forgetmenot broker-setup`: the aggregator's file, the certificates and the passwords of a site that it finds.
@Suite(
    .enabled(if: TestBroker.isInstalled && isProgramInstalled("openssl"), "skipped: no mosquitto or no openssl here"))
struct BrokerFileTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private func setUp(_ words: String...) throws -> Ended { try setUp(words) }

    private func setUp(_ words: [String], path: String? = nil) throws -> Ended {
        try RunningProgram(
            ["env"] + (path.map { ["PATH=\($0)"] } ?? [])
                + [Program.aggregator.path, "broker-setup", "--folder", folder.path("broker")]
                + ["--config", folder.path("aggregator.toml")] + words
        ).ended()
    }

    private func text(_ name: String) throws -> String {
        String(decoding: try readFile(at: folder.path(name)), as: UTF8.self)
    }

    @Test(arguments: [
        "[mqtt]\n  host = \"localhost\"\n\tport\t= 1\n", "\t[ mqtt ]\n\thost\t= \"127.0.0.1\"\n",
        "# Ours.\r\n[mqtt]\r\nhost = \"localhost\"\r\nport = 1\r\n[page]\r\nenabled = false\r\n",
    ])
    func `the aggregator's file is completed, however its lines are indented and end`(former: String) throws {
        try folder.write(former, to: "aggregator.toml")
        try folder.write("handmade\n", to: "aggregator.password")
        let end = try setUp("--port", "1999")
        #expect(end.status == 0 && end.errors.isEmpty, "\(end)")
        let file = folder.path("aggregator.toml")
        #expect(end.output.contains("Completed [mqtt] in \(file); its former text is in \(file).old."), "\(end)")
        let completed = try text("aggregator.toml")
        #expect(completed.contains("port = 1999") && completed.contains("username = \"forgetmenot\""), "\(completed)")
        #expect(try Program.aggregator.run("check", "--config", file).status == 0)
        #expect(try text("aggregator.toml.old") == former && text("aggregator.password.old") == "handmade\n")
        #expect(try setUp().output.hasPrefix("Nothing needs to change."))
        #expect(try text("aggregator.toml") == completed && text("aggregator.toml.old") == former)
    }

    @Test(arguments: [
        "mqtt = { port = 1883 }\n", "mqtt.host = \"localhost\"\n", "[mqtt]\n\"host\" = \"localhost\"\n",
        "language = \"en\n",
    ])
    func `an aggregator's file that would no longer be valid is refused, and nothing is written`(former: String) throws
    {
        try folder.write(former, to: "aggregator.toml")
        for _ in 1...2 {
            let end = try setUp("--gateway", "Hall")
            #expect(
                end.status == 78 && end.output.isEmpty && end.errors.contains("username = \"forgetmenot\""), "\(end)")
            #expect(try text("aggregator.toml") == former && access(folder.path("broker"), F_OK) != 0)
        }
    }

    @Test(arguments: [
        ("host = \"192.0.2.5\"\n", "host"), ("host = [\"localhost\", \"192.0.2.5\"]\n", "host"),
        ("username = \"me\"\npassword_file = \"aggregator.password\"\n", "username"),
        ("ca_file = \"own.crt\"\n", "ca_file"),
    ])
    func `an aggregator that uses another broker, user or authority keeps it, and the rest is done`(
        keys: String, key: String
    ) throws {
        let former = "[mqtt]\n\(keys)"
        try folder.write(former, to: "aggregator.toml")
        try folder.write("handmade\n", to: "aggregator.password")
        for words in [["--gateway", "Hall", "--user", "anna"], ["--remove", "anna"]] {
            let end = try setUp(words)
            #expect(end.status == 0 && end.errors.isEmpty && end.output.contains("delete \(key)"), "\(end)")
            #expect(try text("aggregator.toml") == former && text("aggregator.password") == "handmade\n")
            #expect(try text("broker/users.passwords").contains("anna:") == words.contains("--user"))
        }
        #expect(try text("broker/gateways.passwords").contains("hall:"))
    }

    @Test func `an aggregator that names this machine as others do uses the broker of this machine`() throws {
        let names = [localHostName(), localHostName().uppercased() + ".local", reachableHost() ?? "::1"]
        for name in names + names {
            try folder.write("[mqtt]\nhost = \"\(name)\"\n", to: "aggregator.toml")
            let end = try setUp()
            #expect(end.status == 0 && end.errors.isEmpty && end.output.contains("Completed [mqtt]"), "\(name): \(end)")
            #expect(try text("aggregator.toml").contains("host = \"localhost\""))
        }
    }

    @Test func `the aggregator's file follows each change of the prefix`() throws {
        try folder.write("[mqtt]\n", to: "aggregator.toml")
        #expect(try setUp().status == 0)
        for prefix in ["house", "forgetmenot", "house"] {
            #expect(try setUp("--prefix", prefix).status == 0)
            #expect(try text("aggregator.toml").contains("prefix = \"\(prefix)\""))
            #expect(try setUp().output.hasPrefix("Nothing needs to change."))
        }
    }

    @Test func `a broker's certificate follows a new authority`() throws {
        #expect(try setUp("--tls").status == 0)
        for _ in 1...2 {
            try folder.write("", to: "broker/ca.crt")
            try folder.write("", to: "broker/authorities/ca.key")
            #expect(try setUp().status == 0)
            let verified = try RunningProgram(
                ["openssl", "verify", "-CAfile", folder.path("broker/ca.crt"), folder.path("broker/server.crt")]
            ).ended()
            #expect(verified.status == 0, "\(verified)")
        }
    }

    @Test func `several runs at once let in every gateway`() throws {
        for round in 1...2 {
            let rooms = (1...4).map { "room-\(round)-\($0)" }
            let runs = try rooms.map {
                try RunningProgram(
                    [Program.aggregator.path, "broker-setup", "--folder", folder.path("broker"), "--gateway", $0]
                        + ["--config", folder.path("aggregator.toml")])
            }
            for run in runs { #expect(try run.ended().status == 0) }
            for room in rooms {
                #expect(try text("broker/setup.toml").contains("\"\(room)\""), "\(room)")
                #expect(try text("broker/gateways.passwords").contains("\(room):$"), "\(room)")
            }
        }
    }

    private func certificate(_ name: String, _ option: String) throws -> String {
        let end = try RunningProgram(
            ["openssl", "x509", "-in", folder.path("broker/\(name).crt"), "-noout", option, "-nameopt", "RFC2253"]
        ).ended()
        #expect(end.status == 0, "\(end)")
        return end.output
    }

    @Test func `a certificate or key of the broker that is empty or cut off is made again`() throws {
        #expect(try setUp("--tls").status == 0)
        for name in ["server.crt", "server.key", "server.crt"] {
            let former = try text("broker/\(name)")
            for rest in ["", String(former.prefix(100))] {
                try folder.write(rest, to: "broker/\(name)")
                let end = try setUp()
                #expect(end.status == 0 && end.output.contains("has a certificate for localhost"), "\(end)")
                let verified = try RunningProgram(
                    ["openssl", "verify", "-CAfile", folder.path("broker/ca.crt"), folder.path("broker/server.crt")]
                ).ended()
                #expect(verified.status == 0, "\(verified)")
                #expect(try text("broker/server.key").hasSuffix("-----END PRIVATE KEY-----\n"))
            }
        }
    }

    @Test func `a certificate that openssl could not write replaces none`() throws {
        #expect(try setUp("--tls").status == 0)
        let before = try folder.brokerFiles()
        try StateFolder(path: folder.path("tools")).make()
        for script in ["exit 0", "while [ $# -gt 1 ]; do [ $1 != -out ] || : > \"$2\"; shift; done; exit 0", "exit 1"] {
            try folder.writeProgram("\(script)\n", to: "tools/openssl")
            let end = try setUp(["--host", "new.lan"], path: "\(folder.path("tools")):/usr/sbin:/usr/bin:/bin")
            #expect(end.status == 69 && end.errorLines.count == 1 && end.errors.contains("openssl"), "\(end)")
            #expect(try folder.brokerFiles() == before)
        }
    }

    @Test func `the broker's name may be longer than the subject of a certificate`() throws {
        let host = "\(String(repeating: "a-long-name.", count: 10))example.org"
        #expect(try setUp("--tls", "--host", host).status == 0)
        #expect(try certificate("server", "-text").contains("DNS:\(host)"))
    }

    @Test(arguments: [["--tls"], ["--certificates"]])
    func `certificates are valid for a machine whose clock is years behind`(mode: [String]) throws {
        let end = try setUp(["--gateway", "hall"] + mode)
        #expect(end.status == 0, "\(end)")
        for name in ["ca", "server"] + (mode == ["--tls"] ? [] : ["gateways-ca", "users-ca", "secrets/hall"]) {
            #expect(try certificate(name, "-startdate").contains("2020"), "\(name)")
            #expect(try certificate(name, "-text").contains("X509v3 Basic Constraints: critical"), "\(name)")
        }
        let verified = try RunningProgram(
            ["openssl", "verify", "-attime", "1600000000", "-CAfile", folder.path("broker/ca.crt")]
                + [folder.path("broker/server.crt")]
        ).ended()
        #expect(verified.status == 0, "\(verified)")
    }

    @Test func `a user who is removed and let in by one line has another password, each time`() throws {
        #expect(try setUp("--user", "anna", "--gateway", "Hall").status == 0)
        for (name, words) in [
            ("anna", ["--remove", "anna", "--user", "anna"]), ("hall", ["--remove", "Hall", "--gateway", "Hall"]),
            ("anna", ["--user", "anna", "--remove", "anna"]),
        ] {
            let former = try text("broker/secrets/\(name).password")
            let end = try setUp(words)
            #expect(end.output.contains("\(name) has a password."), "\(end)")
            #expect(try text("broker/secrets/\(name).password") != former)
        }
    }

    @Test func `a user and a gateway of one name are refused with what to do`() throws {
        let end = try setUp("--user", "anna", "--gateway", "Anna")
        #expect(end.status == 64 && end.errorLines.count == 1, "\(end)")
        #expect(end.errors.contains("choose another name for the user or the gateway's room"), "\(end)")
    }
}
