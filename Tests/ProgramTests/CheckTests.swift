import Glibc
import TestBroker
import Testing

/// A mistake is reported before anything begins.
struct CheckTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    @Test func `five mistakes in a gateway's file are five lines, each with file and line`() throws {
        let file = try folder.write(
            """
            id = "Kitchen!"
            rom = "Kitchen"
            [mqtt]
            port = 99999
            [monitoring]
            exit_after = "soon"
            [[region]]
            identifier = "Bags"
            uuid = "none"
            """, to: "gateway.toml")
        let end = try Program.gateway.run("check", "--config", file)
        #expect(end.status == 78 && end.errors.isEmpty)
        try #require(end.outputLines.count == 5, "\(end.output)")
        for (line, number) in zip(end.outputLines, [1, 2, 4, 6, 9]) {
            #expect(line.hasPrefix("\(file):\(number): "), "\(line)")
        }
    }

    @Test func `five mistakes in the aggregator's file are five lines, each with file and line`() throws {
        let file = try folder.write(
            """
            state_directory = 7
            [mqtt]
            hots = "localhost"
            version = "4"
            [[item]]
            name = "Keys"
            uuid = "f7826da6-4fa2-4e98-8024-bc5b71e0893e"
            major = 65536
            minor = -1
            """, to: "aggregator.toml")
        let end = try Program.aggregator.run("check", "--config", file)
        #expect(end.status == 78 && end.errors.isEmpty)
        try #require(end.outputLines.count == 5, "\(end.output)")
        for (line, number) in zip(end.outputLines, [1, 3, 4, 8, 9]) {
            #expect(line.hasPrefix("\(file):\(number): "), "\(line)")
        }
    }

    @Test func `check reports rooms of not_alone_in that no [[room]] has, and without any [[room]] none`() throws {
        func item(_ name: String, minor: Int, _ room: String) -> String {
            """
            [[item]]
            name = "\(name)"
            uuid = "f7826da6-4fa2-4e98-8024-bc5b71e0893e"
            major = 1
            minor = \(minor)
            owners = ["Anna"]
            not_alone_in = ["Garden", "\(room)"]

            """
        }
        let text =
            item("Keys", minor: 1, "Kithcen") + item("Bag", minor: 2, "Kitchen") + "[[person]]\nname = \"Anna\"\n"
        let state = "state_directory = \"state\"\n"
        let rooms = "[[room]]\nname = \"Garden\"\n[[room]]\nname = \"Kitchen\"\n"
        for _ in 1...2 {
            let end = try Program.aggregator.run(
                "check", "--config", folder.write(state + text + rooms, to: "aggregator.toml"))
            #expect(
                end.output
                    == "\(folder.path("aggregator.toml")):2: item.not_alone_in has \"Kithcen\", of which there is no [[room]]: did you mean \"Kitchen\"?\n"
            )
            #expect(end.status == 78 && end.errors.isEmpty, "\(end)")
            // Gateways report their rooms.
            let free = try Program.aggregator.run("check", "--config", folder.write(state + text, to: "free.toml"))
            #expect(free.status == 0 && free.output.isEmpty, "\(free)")
        }
    }

    @Test(arguments: [(Program.gateway, "gateway.toml"), (.aggregator, "deploy/aggregator.toml")])
    func `check accepts the shipped files, and prints nothing`(program: Program, name: String) throws {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let end = try program.run("check", "--config", "\(root)/\(name)")
        #expect(end.status == 0 && end.output.isEmpty && end.errors.isEmpty, "\(end)")
    }

    @Test(arguments: [Program.gateway, .aggregator])
    func `a file of [mqtt] that run refuses is refused by check, too, until it is there`(program: Program) throws {
        try folder.write("secret\n", to: "open.password", mode: 0o644)
        try folder.write("no certificate\n", to: "empty.crt")
        try folder.write("secret\n", to: "own.password", mode: 0o600)
        let wrong = [
            "ca_file = \"absent.crt\"", "ca_file = \"empty.crt\"", "username = \"k\"\npassword_file = \"absent\"",
            "username = \"k\"\npassword_file = \"open.password\"",
        ]
        for keys in wrong {
            let file = try folder.write(
                "state_directory = \"state\"\n[mqtt]\nport = 1\n\(keys)\n", to: "\(program.rawValue).toml")
            let (check, run) = (try program.run("check", "--config", file), try program.run("run", "--config", file))
            #expect(check.status == 78 && run.status == 78, "\(check) \(run)")
            #expect(check.outputLines.count == 1 && check.errors.isEmpty, "\(check)")
        }
        let file = try folder.write(
            "[mqtt]\nusername = \"k\"\npassword_file = \"own.password\"\n", to: "\(program.rawValue).toml")
        #expect(try program.run("check", "--config", file).status == 0)
    }

    @Test func `each file and program that is not there is reported by check with the line of its key`() throws {
        try folder.write("echo\n", to: "no-program", mode: 0o600)
        try folder.write("{}\n", to: "right.apprise", mode: 0o600)
        let channels = [
            "kind = \"apprise\"\napprise_file = \"absent.apprise\"",
            "kind = \"command\"\ncommand = [\"absent-program\"]",
        ]
        let file = try folder.write(
            """
            [mqtt]
            username = "k"
            password_file = "absent.password"
            [notify]
            command = ["/absent/program", "-x"]
            [standby]
            name = "left"
            secret_file = "absent.secret"
            [page]
            certificate_file = "absent.crt"
            key_file = "absent.key"
            """ + channels.map { "\n[[channel]]\nperson = \"anna\"\n\($0)" }.joined()
                + "\n[[channel]]\nperson = \"ben\"\nkind = \"command\"\ncommand = [\"\(folder.path("no-program"))\"]\n"
                + "[[channel]]\nperson = \"ben\"\nkind = \"apprise\"\napprise_file = \"right.apprise\"\n",
            to: "aggregator.toml")
        for _ in 0..<2 {
            let end = try Program.aggregator.run("check", "--config", file)
            let expected = [
                (3, "mqtt.password_file", "absent.password"), (5, "notify.command", "/absent/program does not exist"),
                (8, "standby.secret_file", "absent.secret"), (10, "page.certificate_file", "absent.crt"),
                (15, "channel.apprise_file", "absent.apprise"),
                (19, "channel.command", "absent-program is not installed"),
                (23, "channel.command", "no-program is not executable"),
            ]
            #expect(end.status == 78 && end.errors.isEmpty && end.outputLines.count == expected.count, "\(end)")
            for (line, (number, key, words)) in zip(end.outputLines, expected) {
                #expect(line.hasPrefix("\(file):\(number): \(key): ") && line.contains(words), "\(line)")
            }
        }
        let broker = try folder.write(
            """
            [mqtt]
            username = "k"
            password_file = "absent.password"
            ca_file = "absent.crt"
            [[channel]]
            person = "anna"
            kind = "ntfy"
            url = "https://ntfy.example"
            topic_file = "absent.topic"
            token_file = "absent.token"
            [[channel]]
            person = "ben"
            kind = "ntfy"
            url = "https://ntfy.example"
            topic_file = "absent.topic"
            token_file = "absent.token"
            """, to: "broker.toml")
        let lines = try Program.aggregator.run("check", "--config", broker).outputLines
        let begins = [
            (3, "mqtt.password_file"), (4, "mqtt.ca_file"), (9, "channel.topic_file"), (10, "channel.token_file"),
            (15, "channel.topic_file"), (16, "channel.token_file"),
        ].map { "\(broker):\($0): \($1): " }
        #expect(lines.count == begins.count && zip(lines, begins).allSatisfy { $0.hasPrefix($1) }, "\(lines)")
        let gateway = try folder.write(
            "[mqtt]\nca_file = \"absent.crt\"\n[radio]\nidentity_keys_file = \"absent.keys\"\n", to: "gateway.toml")
        for _ in 0..<2 {
            let end = try Program.gateway.run("check", "--config", gateway)
            try #require(end.status == 78 && end.outputLines.count == 2, "\(end)")
            #expect(end.outputLines[0].hasPrefix("\(gateway):2: mqtt.ca_file: "), "\(end)")
            #expect(end.outputLines[1].hasPrefix("\(gateway):4: radio.identity_keys_file: "), "\(end)")
        }
    }

    @Test(arguments: [["where"], ["watch"], ["items", "list"], ["nearby"], ["run"], []])
    func `a file of the broker's that cannot be used is reported with the line that names it, as by check`(
        words: [String]
    ) throws {
        let file = try folder.write(
            "state_directory = \"state\"\n[mqtt]\nusername = \"k\"\npassword_file = \"absent.password\"\n"
                + "ca_file = \"absent.crt\"\n", to: "own.toml")
        let program = words.isEmpty ? Program.gateway : .aggregator
        for _ in 0..<2 {
            let end = try RunningProgram(
                [program.path] + (words.isEmpty ? ["run"] : words) + ["--config", file]
            ).ended()
            #expect(end.status == 78 && end.output.isEmpty, "\(end)")
            #expect(end.errorLines == (try program.run("check", "--config", file).outputLines), "\(end)")
            #expect(end.errors.contains("\(file):4: mqtt.password_file: "), "\(end)")
        }
    }

    @Test(arguments: [
        ("language = 5", "language is the number 5: write one of \"en\", \"de\""),
        ("[history]\ndatabase = 5", "database is the number 5: write a URL like \"postgresql://user@host/database\""),
        ("language = \"fr\"", "language is \"fr\": write one of \"en\", \"de\""),
        ("[log]\nsize_mb = 5000", "log.size_mb is 5000: write a whole number from 1 to 1024"),
        ("[log]\nsize_mb = \"64\"", "log.size_mb is the text \"64\": write a whole number from 1 to 1024"),
        (
            "[notify]\ncommand = \"/bin/true\"",
            "notify.command is the text \"/bin/true\": write an array of 1 to 64 texts, the program and its arguments"
        ),
    ])
    func `a value of a wrong type or out of range is reported with what to write`(text: String, sentence: String) throws
    {
        let file = try folder.write(text + "\n", to: "aggregator.toml")
        let end = try Program.aggregator.run("check", "--config", file)
        #expect(end.status == 78 && end.outputLines.count == 1 && end.output.contains(sentence), "\(end)")
    }

    @Test func `a gateway's recording that is not there is found by check`() throws {
        let file = try folder.write("[radio]\nsource = \"capture:absent.btsnoop\"\n", to: "gateway.toml")
        let end = try Program.gateway.run("check", "--config", file)
        #expect(end.status == 66 && end.outputLines.count == 1 && end.output.contains("absent.btsnoop"), "\(end)")
        #expect(end.errors.isEmpty, "\(end)")
    }

    @Test func `a name that is another item's id is found by check, and the service starts nevertheless and logs it`()
        throws
    {
        let names = ["Keys", "keys"].enumerated().map { number, name in
            "[[item]]\nname = \"\(name)\"\nuuid = \"F7826DA64FA24E988024BC5B71E0893E\"\nmajor = 1\nminor = \(number)\n"
        }
        let file = try folder.write(
            "state_directory = \"state\"\n[mqtt]\nport = 1\n" + names.joined(), to: "aggregator.toml")
        let line = "\(file):9: item.name is \"keys\", the id of the item \"Keys\": write another name"
        for _ in 1...2 {
            let end = try Program.aggregator.run("check", "--config", file)
            #expect(end.status == 78 && end.outputLines == [line[...]] && end.errors.isEmpty, "\(end)")
            let service = try Program.aggregator.start("run", "--config", file)
            #expect(try service.complaint(of: line).contains("error"))
            #expect(try service.ended(by: SIGTERM).status == 0)
        }
    }

    @Test func `a secret of two aggregators that is absent or short is refused, until it is long enough`() throws {
        try folder.write("short\n", to: "short.secret", mode: 0o600)
        try folder.write(String(repeating: "f", count: 32) + "\n", to: "long.secret", mode: 0o600)
        for (name, isRight) in [("absent", false), ("short", false), ("long", true)] {
            let file = try folder.write(
                "[standby]\nname = \"left\"\nsecret_file = \"\(name).secret\"\n", to: "aggregator.toml")
            let end = try Program.aggregator.run("check", "--config", file)
            #expect(end.status == (isRight ? 0 : 78) && end.outputLines.count == (isRight ? 0 : 1), "\(end)")
            #expect(end.errors.isEmpty && (isRight || end.output.contains("\(name).secret")), "\(end)")
        }
    }

    @Test func `a UUID is accepted without hyphens where a configuration has one`() throws {
        let uuid = "uuid = \"F7826DA64FA24E988024BC5B71E0893E\"\nmajor = 1\n"
        let region = "[[region]]\nidentifier = \"Bags\"\n" + uuid
        for (program, text) in [
            (Program.gateway, region), (.aggregator, region + "[[item]]\nname = \"Keys\"\n" + uuid + "minor = 2\n"),
        ] {
            let end = try program.run("check", "--config", folder.write(text, to: "\(program.rawValue).toml"))
            #expect(end.status == 0 && end.output.isEmpty && end.errors.isEmpty, "\(end)")
        }
    }

    @Test(arguments: [Program.gateway, .aggregator], ["check", "run"])
    func `an absent file is one line on standard error, and 66`(program: Program, command: String) throws {
        let end = try program.run(command, "--config", folder.path("absent.toml"))
        #expect(end.status == 66 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
        #expect(end.errors.contains(folder.path("absent.toml")))
    }

    @Test(
        arguments: [
            (Program.aggregator, ["help", "nope"], nil), (.aggregator, ["help", "itmes"], "items"),
            (.aggregator, ["help", "items", "lst"], "list"), (.aggregator, ["wher"], "where"),
            (.aggregator, ["items", "imprt", "x.json"], "import"), (.gateway, ["help", "dcotor"], "doctor"),
            (.gateway, ["scna"], "scan"), (.gateway, ["nope"], nil),
        ] as [(Program, [String], String?)])
    func `a command that there is not gets 64, and the name that was probably meant`(
        program: Program, words: [String], meant: String?
    ) throws {
        let end = try RunningProgram([program.path] + words).ended()
        #expect(end.status == 64 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
        #expect(end.errors.contains("did you mean '") == (meant != nil), "\(end)")
        if let meant { #expect(end.errors.contains("did you mean '\(meant)'?"), "\(end)") }
    }

    @Test(arguments: [[], ["help"], ["help", "items"], ["help", "items", "list"], ["items", "--help"]])
    func `help of a command that there is gets 0`(words: [String]) throws {
        let end = try RunningProgram([Program.aggregator.path] + words).ended()
        #expect(end.status == 0 && !end.output.isEmpty && end.errors.isEmpty, "\(end)")
    }

    @Test(arguments: [Program.gateway, .aggregator], [["check", "--nonsense"], ["check", "nonsense"], ["--config"]])
    func `a wrong command line gets one line, and status 64`(program: Program, words: [String]) throws {
        let end = try RunningProgram([program.path] + words).ended()
        #expect(end.status == 64 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
        #expect(end.errors.hasPrefix("\(program.rawValue): ") && end.errors.contains("--help"), "\(end)")
    }

    @Test(arguments: [Program.gateway, .aggregator], [["--help"], ["check", "--help"], ["--version"]])
    func `help and version are printed with status 0`(program: Program, words: [String]) throws {
        let end = try RunningProgram([program.path] + words).ended()
        #expect(end.status == 0 && !end.output.isEmpty && end.errors.isEmpty, "\(end)")
    }

    @Test(arguments: ["password", "token"])
    func `a user or a token of the page without a name is refused in one line`(command: String) throws {
        let end = try Program.aggregator.run("page", command, "")
        #expect(end.status == 64 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
        #expect(end.errors.contains("name is empty"), "\(end)")
    }

    @Test(arguments: [
        ("ca_file = \"absent.crt\"", "absent.crt"), ("ca_fil = \"ca.crt\"", "ca_fil"),
        ("ca_file = \"/proc/version\"\nkey_file = \"kitchen.key\"", "key_file"),
    ])
    func `a mistake about TLS stops the start, and never means no TLS`(line: String, word: String) throws {
        let file = try folder.write(
            "state_directory = \"state\"\n[mqtt]\n\(line)\n[radio]\nsource = \"simulation\"\n", to: "gateway.toml")
        let end = try Program.gateway.run("run", "--config", file)
        #expect(end.status == 78 && end.output.isEmpty, "\(end)")
        #expect(end.errorLines.count == 1 && end.errors.contains(word), "\(end.errors)")
    }
}
