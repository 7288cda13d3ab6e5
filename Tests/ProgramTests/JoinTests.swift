import Glibc
import Linux
import TestBroker
import Testing

/// From the site's one line to a gateway that the broker lets in: `gateways invite` and `join`.
@Suite(
    .enabled(if: TestBroker.isInstalled && isProgramInstalled("openssl"), "skipped: no mosquitto or no openssl here"))
struct JoinTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private func invite(_ gateway: String, at broker: LockedBroker, _ more: String...) throws -> RunningProgram {
        try RunningProgram(
            [
                Program.aggregator.path, "gateways", "invite", gateway, "--port", "0", "--folder", broker.folder.path,
                "--config", broker.folder.path("aggregator.toml"),
            ] + more)
    }

    /// The words behind `sudo` of the line that the site prints.
    private func line(of site: RunningProgram) throws -> [String] {
        var line = ""
        var isForPackage = false
        while !line.contains(" join ") {
            line = try site.line()
            isForPackage = isForPackage || line.contains("`sudo apt install ./forgetmenot-gateway_*.deb`")
        }
        #expect(isForPackage)
        return line.split(separator: " ").dropFirst(2).map(String.init)
    }

    private func join(
        _ words: [String], file: String = "gateway.toml", source: String = "simulation"
    ) throws -> Ended {
        try RunningProgram(
            [Program.gateway.path] + words + ["--config", folder.path(file), "--source", source, "--no-start"]
        ).ended()
    }

    @Test(arguments: ["", "certificates", "tls"])
    func `the line that invite prints makes a gateway that the broker lets in, once for each invitation`(
        mode: String
    ) throws {
        let broker = try LockedBroker(certificates: mode == "certificates", tls: mode == "tls")
        if mode == "certificates" {
            #expect(try broker.setUp(["--host", "127.0.0.1", "--certificates"]).status == 0)
        }
        for turn in 0..<2 {
            let site = try invite("Büro", at: broker)
            let words = try line(of: site)
            #expect(words[...1] == ["join", "127.0.0.1"])
            // Since the files have changed; `invite` does so where systemd runs mosquitto.
            try broker.start()
            let end = try join(words)
            #expect(end.errors.isEmpty && end.output.contains("passed  credentials"), "\(end)")
            let siteEnd = try site.ended()
            #expect(siteEnd.status == 0 && siteEnd.output.contains("Büro has its configuration"), "\(siteEnd)")
            #expect(end.output.contains("needs no change") == (turn == 1), "\(end)")
            let text = try String(decoding: readFile(at: folder.path("gateway.toml")), as: UTF8.self)
            #expect(text.contains("id = \"buro\"\nroom = \"Büro\"\n"), "\(text)")
            #expect(text.contains("ca_file = ") == !mode.isEmpty, "\(text)")

            let again = try join(words, file: "other.toml")
            #expect(again.status == 69 && again.errors.contains("nobody waits for a gateway"), "\(again)")
            #expect(access(folder.path("other.toml"), F_OK) != 0)
        }
    }

    @Test func `a gateway that joins again follows a site that uses TLS and gives it up, each time`() throws {
        let broker = try LockedBroker()
        for turn in 0..<4 {
            let usesTLS = turn.isMultiple(of: 2)
            if usesTLS { try broker.useTLS() } else { #expect(try broker.setUp(["--no-tls"]).status == 0) }
            let site = try invite("Attic", at: broker)
            let words = try line(of: site)
            try broker.start()
            let end = try join(words)
            #expect(end.errors.isEmpty && end.output.contains("passed  credentials"), "\(end)")
            #expect(end.output.contains("over TLS") == usesTLS, "\(end)")
            #expect(try site.ended().status == 0)
            let text = try String(decoding: readFile(at: folder.path("gateway.toml")), as: UTF8.self)
            #expect(text.contains("\nca_file = \"gateway-ca.crt\"\n") == usesTLS, "\(text)")
            #expect(text.contains("\nverify_hostname = false\n") == usesTLS, "\(text)")
        }
    }

    @Test func `an invitation is valid as long as --valid wants, each time, and a day at most`() throws {
        let broker = try LockedBroker()
        for _ in 0..<2 {
            let site = try invite("Hall", at: broker, "--valid", "1s")
            let words = try line(of: site)
            let end = try site.ended()
            #expect(end.status == 1 && end.output.contains("run this within 1s"), "\(end)")
            #expect(end.errors.contains("no gateway has come within 1s, and the code is no longer valid"), "\(end)")
            #expect(try join(words).errors.contains("nobody waits for a gateway"))
        }
        for valid in ["2d", "0s", "soon"] {
            let end = try invite("Hall", at: broker, "--valid", valid).ended()
            #expect(end.status == 64 && end.errors.contains("a duration from 1s to 1d"), "\(end)")
        }
    }

    @Test func `a wrong code leaves the gateway as it is, and the invitation valid`() throws {
        let broker = try LockedBroker()
        let site = try invite("Hall", at: broker)
        var words = try line(of: site)
        let code = words[2]
        for _ in 0..<2 {
            words[2] = "0000-0000-0000-0000-0000-0000-00"
            let end = try join(words)
            #expect(end.status == 69 && end.errorLines.count == 1 && end.errors.contains("refused the code"), "\(end)")
            #expect(access(folder.path("gateway.toml"), F_OK) != 0)
        }
        words[2] = "rose"
        let typo = try join(words)
        #expect(typo.status == 64 && typo.errors.contains("\"rose\" is no code"), "\(typo)")
        // A code with a mistake is no host: nobody is asked for it.
        for mistyped in [code.dropLast() + "U", code + "0"] {
            let end = try join([words[0], String(mistyped)])
            #expect(end.status == 64 && end.errors.contains("is no code"), "\(end)")
        }
        words[2] = code
        #expect(try join(words).output.contains("Wrote \(folder.path("gateway.toml"))"))
        let end = try site.ended()
        #expect(end.status == 0 && end.output.contains("A machine without this code was refused."), "\(end)")
    }

    @Test func `invite warns about a gateway that is let in already, whatever its name, each time`() throws {
        let broker = try LockedBroker()
        for name in ["Kitchen", "kitchen", "Kítchen", "Kitchen"] {
            let site = try invite(name, at: broker)
            _ = try join(try line(of: site))
            let end = try site.ended()
            #expect(end.status == 0 && end.output.contains("Kitchen has its configuration"), "\(end)")
            #expect(end.errorLines.count == 1 && end.errors.contains("Kitchen is let in already"), "\(end)")
            let text = try String(decoding: readFile(at: folder.path("gateway.toml")), as: UTF8.self)
            #expect(text.contains("id = \"kitchen\"\nroom = \"Kitchen\"\n"), "\(text)")
        }
        let site = try invite("Attic", at: broker)
        _ = try join(try line(of: site), file: "attic.toml")
        let end = try site.ended()
        #expect(end.status == 0 && end.errors.isEmpty, "\(end)")
    }

    @Test func `invite finds the gateway of a room that gateways set has changed, each time`() throws {
        let broker = try LockedBroker()
        try broker.folder.write("[mqtt]\n", to: "aggregator.toml")
        #expect(try broker.setUp([]).status == 0)
        let observer = try Observer(broker.asUser("forgetmenot"))
        for room in ["Larder", "Pantry"] {
            _ = try PublishedGateway("kitchen", room: room, over: observer)
            let site = try invite(room, at: broker)
            _ = try join(try line(of: site))
            let end = try site.ended()
            #expect(end.errorLines.count == 1 && end.errors.contains("\(room) is let in already"), "\(end)")
            let text = try String(decoding: readFile(at: folder.path("gateway.toml")), as: UTF8.self)
            #expect(text.contains("id = \"kitchen\"\nroom = \"\(room)\"\n"), "\(text)")
        }
        #expect(try !broker.text("setup.toml").contains("pantry"))
        // A gateway that was invited and has not come takes nobody's place.
        for _ in 1...2 {
            let vain = try invite("Cellar", at: broker, "--valid", "1s").ended()
            #expect(
                vain.status == 1 && vain.errorLines.count == 1 && vain.errors.contains("no gateway has come"), "\(vain)"
            )
        }
        // What a gateway publishes does not make setup.toml invalid. And a signal withdraws an invitation, also after the site was read. Not
        // SIGINT: a shell that starts the tests in the background has all their programs ignore it.
        _ = try PublishedGateway("kitchen", room: String(repeating: "long ", count: 60), over: observer)
        for _ in 1...2 {
            let withdrawn = try invite("Attic", at: broker)
            _ = try line(of: withdrawn)
            #expect(try withdrawn.ended(by: SIGTERM).status == -SIGTERM)
            #expect(try broker.setUp([]).status == 0)
        }
    }

    @Test(arguments: [("echo 's \"hub-2.local\"'", "hub-2.local"), ("exit 1", nil)])
    func `invite prints the name that avahi gave to this machine, or an address`(busctl: String, name: String?) throws {
        try StateFolder(path: folder.path("tools")).make()
        try folder.writeProgram("\(busctl)\n", to: "tools/busctl")
        #expect(
            try Program.aggregator.run("broker-setup", "--folder", folder.path("b"), "--config", "/none").status == 0)
        let site = try RunningProgram([
            "env", "PATH=\(folder.path("tools")):/usr/sbin:/usr/bin:/bin", Program.aggregator.path, "gateways",
            "invite",
            "Hall", "--port", "0", "--folder", folder.path("b"), "--config", "/none", "--valid", "1s",
        ])
        let end = try site.ended()
        if let name {
            #expect(end.output.contains(" join \(name) "), "\(end)")
        } else {
            #expect(
                !end.output.contains(".local") && (end.status == 1 || end.errors.contains("has no network")), "\(end)")
        }
    }

    @Test func `an invitation that cannot wait, or with a room that nobody could read, lets nobody in, each time`()
        throws
    {
        let broker = try LockedBroker()
        let former = try broker.text("setup.toml")
        for _ in 1...2 {
            let waits = try invite("Cellar", at: broker, "--port", "\(broker.port)").ended()
            #expect(waits.status == 69 && waits.errors.contains("choose another --port"), "\(waits)")
            let long = try invite(String(repeating: "x", count: 257), at: broker).ended()
            #expect(long.status == 64 && long.errors.contains("write 1 to 256 bytes"), "\(long)")
            #expect(try broker.text("setup.toml") == former && !broker.text("gateways.passwords").contains("cellar"))
        }
    }

    @Test func `a machine that joins as another gateway prints that the former one has to be removed, each time`()
        throws
    {
        let broker = try LockedBroker()
        for (room, former) in [("Hall", nil), ("Study", "hall"), ("Study", nil), ("Loft", "study")]
            as [(String, String?)]
        {
            let site = try invite(room, at: broker)
            let output = try join(try line(of: site)).output
            _ = try site.ended()
            #expect(output.contains("This machine was the gateway") == (former != nil), "\(output)")
            if let former { #expect(output.contains("`sudo forgetmenot gateways remove \(former)`"), "\(output)") }
        }
    }

    @Test func `a host with several dashes is no code`() throws {
        let end = try RunningProgram(
            ["setsid", "--wait", Program.gateway.path, "join", "hub-of-the-old-house.local"]
                + ["--config", folder.path("gateway.toml")]
        ).ended()
        #expect(end.status == 64 && end.errors.contains("the code is missing"), "\(end)")
    }

    @Test func `invite with --another lets in one more gateway of a room under an id of its own, also twice`() throws {
        let broker = try LockedBroker()
        var passwords: Set<[UInt8]> = []
        for (name, id) in [("Kitchen", "kitchen-2"), ("kitchen", "kitchen-3"), ("Attic", "attic")] {
            let site = try invite(name, at: broker, "--another")
            _ = try join(try line(of: site), file: "\(id).toml")
            let end = try site.ended()
            let title = name == "Attic" ? name : id
            #expect(end.status == 0 && end.errors.isEmpty, "\(end)")
            #expect(end.output.contains("\(title) has its configuration"), "\(end)")
            let text = try String(decoding: readFile(at: folder.path("\(id).toml")), as: UTF8.self)
            let room = name == "Attic" ? name : "Kitchen"
            #expect(text.contains("id = \"\(id)\"\nroom = \"\(room)\"\n"), "\(text)")
            passwords.insert(try readFile(at: folder.path("\(id).password")))
        }
        #expect(passwords.count == 3)
    }

    @Test func `what prevents the setup of a gateway is reported before the code is used, each time`() throws {
        let broker = try LockedBroker()
        let site = try invite("Attic", at: broker)
        let words = try line(of: site)
        try folder.write("exit_afer = 3\n", to: "mistake.toml")
        mkdir(folder.path("folder.toml"), 0o700)
        let mistakes: [(file: String, source: String, status: Int32, reason: String)] = [
            ("mistake.toml", "simulation", 78, "exit_afer"), ("folder.toml", "simulation", 64, "it is a folder"),
            ("gateway.toml", "hci0", 78, "bluez:hci0"),
        ]
        for (file, source, status, reason) in mistakes {
            for _ in 0..<2 {
                let end = try join(words, file: file, source: source)
                #expect(end.status == status && end.output.isEmpty && end.errors.contains(reason), "\(end)")
            }
        }
        #expect(access(folder.path("gateway.toml"), F_OK) != 0)
        #expect(try join(words).output.contains("Wrote \(folder.path("gateway.toml"))"))
        #expect(try site.ended().status == 0)
    }

    @Test func `a gateway that was removed is no longer let in, and can be invited again with another password`() throws
    {
        let broker = try LockedBroker()
        var passwords: Set<[UInt8]> = []
        for _ in 0..<2 {
            let site = try invite("Hall", at: broker)
            _ = try join(try line(of: site))
            #expect(try site.ended().status == 0)
            passwords.insert(try readFile(at: folder.path("gateway.password")))
            #expect(try broker.setUp(["--remove", "Hall"]).status == 0)
            try broker.start()
            let end = try Program.gateway.run("doctor", "--config", folder.path("gateway.toml"))
            #expect(end.output.contains("FAILED  credentials"), "\(end)")
        }
        #expect(passwords.count == 2)
    }

    @Test func `invite needs a broker that broker-setup has locked`() throws {
        let end = try Program.aggregator.run("gateways", "invite", "Hall", "--folder", folder.path("nothing"))
        #expect(end.status == 66 && end.errorLines.count == 1 && end.errors.contains("forgetmenot setup"), "\(end)")
        #expect(access(folder.path("nothing"), F_OK) != 0)
    }
}
