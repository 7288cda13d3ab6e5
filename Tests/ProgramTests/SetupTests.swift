import Beacons
import Glibc
import Linux
import TestBroker
import Testing

/// From the broker's line to a gateway that runs: `forgetmenot-gateway setup`.
@Suite(
    .enabled(if: TestBroker.isInstalled && isProgramInstalled("openssl"), "skipped: no mosquitto or no openssl here"))
struct SetupTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    /// A shell's line, with our own program.
    private func shell(_ line: String) throws -> Ended {
        try RunningProgram(["sh", "-c", line.replacing("forgetmenot-gateway", with: Program.gateway.path)]).ended()
    }

    /// Every file in the folder, with its text.
    private func files() throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try StateFolder(path: folder.path).entries() { files[name] = try readFile(at: folder.path(name)) }
        return files
    }

    @Test(arguments: [[], ["--certificates"]])
    func `the line that broker-setup prints makes a gateway that the broker lets in`(mode: [String]) throws {
        let broker = try LockedBroker(certificates: !mode.isEmpty)
        let printed = try broker.setUp(["--gateway", "Kitchen"] + mode)
        let line = try #require(printed.outputLines.first { $0.contains("setup --id kitchen") }, "\(printed)")
        let file = folder.path("gateway.toml")
        let end = try shell(
            line.replacing("sudo ", with: "") + " --config \(file) --source simulation")
        // A test's machine may have no synchronised clock, which alone is no failure of setup.
        #expect(end.status == 0 && end.errors.isEmpty && end.output.contains("passed  credentials"), "\(end)")
        #expect(end.outputLines.filter { $0.hasPrefix("FAILED") }.allSatisfy { $0.contains("clock") }, "\(end.output)")
        let text = try String(decoding: readFile(at: file), as: UTF8.self)
        #expect(text.contains("id = \"kitchen\"\nroom = \"Kitchen\"\n"), "\(text)")
        #expect(try Program.gateway.run("check", "--config", file).status == 0)
        for name in try StateFolder(path: folder.path).entries()
        where name.hasSuffix("password") || name.hasSuffix("key") {
            var status = stat()
            #expect(stat(folder.path(name), &status) == 0 && status.st_mode & 0o077 == 0, "\(name)")
        }
        let again = try shell(line.replacing("sudo ", with: "") + " --config \(file) --source simulation")
        #expect(again.output.contains("\(file) needs no change"), "\(again)")
    }

    @Test func `setup names the user whom the broker refuses, and how to choose another, with and without a password`()
        throws
    {
        let broker = try LockedBroker(certificates: false)
        let printed = try broker.setUp(["--gateway", "Kitchen"])
        let line = try #require(printed.outputLines.first { $0.contains("setup --id kitchen") }, "\(printed)")
            .replacing("sudo ", with: "").replacing("--id kitchen", with: "--id attic")
        let withoutPassword = try #require(line.split(separator: "| ").last).replacing("--password-stdin", with: "")
        for (number, command) in [line, withoutPassword].enumerated() {
            let end = try shell(
                "\(command) --config \(folder.path("\(number).toml")) --source simulation --no-start")
            #expect(end.status == 69 && end.output.contains("FAILED  credentials"), "\(end)")
            #expect(end.output.contains("--password-stdin, this gateway's user at the broker is its id, attic: --id"))
        }
    }

    @Test func `a password that is set up again never ends TLS, but for this machine's own broker`() throws {
        let file = try folder.write(
            "id = \"hall\"\n[mqtt]\nport = 8883\nca_file = \"own.crt\"\nverify_hostname = false\n", to: "gateway.toml")
        func setUp(_ host: String) throws -> String {
            let end = try shell(
                "echo secret | forgetmenot-gateway setup --room Hall --host \(host) --password-stdin --source simulation --no-start --config \(file)"
            )
            #expect(end.output.contains("Wrote") || end.output.contains("needs no change"), "\(end)")
            return try String(decoding: readFile(at: file), as: UTF8.self)
        }
        for _ in 1...2 {
            #expect(try setUp("127.0.0.1").contains("\nca_file = \"own.crt\"\nverify_hostname = false\n"))
        }
        #expect(try setUp("localhost").contains("\n#ca_file = \"own.crt\"\n#verify_hostname = false\n"))
    }

    @Test func `setup without an id writes the one that the gateway has now, and no other later`() throws {
        let file = try folder.write("room = \"Hall\"\r\n", to: "gateway.toml")
        for isNamed in [false, true] {
            if isNamed { try folder.write("id = \"pantry\" # Ours.\nroom = \"Hall\"\n", to: "gateway.toml") }
            for _ in 1...2 {
                let end = try shell(
                    "echo secret | forgetmenot-gateway setup --room Hall --host localhost --password-stdin --source simulation --no-start --config \(file)"
                )
                #expect(end.output.contains("Wrote") || end.output.contains("needs no change"), "\(end)")
                let text = try String(decoding: readFile(at: file), as: UTF8.self)
                let user = text.split(separator: "username = ").last?.prefix { $0 != "\n" && $0 != "\r\n" } ?? ""
                #expect(text.contains("id = \(user)"), "\(text)")
                #expect(text.hasPrefix("id = \"pantry\" # Ours.\n") == isNamed, "\(text)")
            }
        }
    }

    @Test func `setup leaves the rest of an edited file as it was, and stores the former file`() throws {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let reference = try String(decoding: readFile(at: "\(root)/gateway.toml"), as: UTF8.self)
        let file = try folder.write(reference, to: "gateway.toml")
        let end = try shell(
            "forgetmenot-gateway setup --room 'Küche' --host 127.0.0.1 --port 1 --source simulation --no-start --config \(file)"
        )
        // Nothing accepts connections as the broker there, and doctor reports that.
        #expect(end.status == 69 && end.output.contains("FAILED  broker"), "\(end)")
        let text = try String(decoding: readFile(at: file), as: UTF8.self)
        #expect(
            text.contains("\nroom = \"Küche\"\n") && text.contains("\nhost = \"127.0.0.1\"\n")
                && text.contains("\nport = 1\n"))
        #expect(text.split(separator: "\n").count == reference.split(separator: "\n").count)
        #expect(try String(decoding: readFile(at: file + ".old"), as: UTF8.self) == reference)
    }

    @Test(arguments: [
        ("forgetmenot-gateway setup --config FILE < /dev/null", 64, "--room"),
        ("forgetmenot-gateway setup --room R --host h --password-stdin --config FILE < /dev/null", 66, "one line"),
        (
            "printf 'a\\nb\\n' | forgetmenot-gateway setup --room R --host h --password-stdin --config FILE", 66,
            "one line"
        ),
        ("printf 'a\\n' | forgetmenot-gateway setup --room R --host h --certificates-stdin --config FILE", 66, "PEM"),
        ("forgetmenot-gateway setup --room R --host 'two words' --config FILE", 78, "mqtt.host"),
        ("forgetmenot-gateway setup --room R --host h --id 'Two Words' --config FILE", 78, "id"),
    ])
    func `setup reports a wrong value in one line, and writes no file`(line: String, status: Int32, word: String) throws
    {
        // Nobody sits at a terminal: a session of its own has none.
        let file = folder.path("gateway.toml")
        let end = try RunningProgram([
            "setsid", "--wait", "sh", "-c",
            line.replacing("forgetmenot-gateway", with: Program.gateway.path).replacing("FILE", with: file),
        ]).ended()
        #expect(end.status == status && end.errorLines.count == 1 && end.errors.contains(word), "\(end)")
        #expect(access(file, F_OK) != 0)
    }

    @Test(arguments: ["--host 'two words'", "--id 'Two Words'", "--port 0", "--prefix 'a/#'", "--source nonsense"])
    func `a password that comes with something wrong does not replace the one that works`(wrong: String) throws {
        try folder.write(
            "room = \"R\"\n[mqtt]\nhost = \"h\"\npassword_file = \"gateway.password\"\n", to: "gateway.toml")
        try folder.write("works\n", to: "gateway.password")
        let before = try files()
        let end = try shell(
            "printf 'rose\\n' | forgetmenot-gateway setup --room R --host h --password-stdin --no-start \(wrong) --config \(folder.path("gateway.toml"))"
        )
        #expect(end.status == 78 && end.output.isEmpty, "\(end)")
        #expect(try files() == before)
    }

    @Test func `where the configuration cannot be written, the password that works stays`() throws {
        let file = try folder.write("room = \"R\"\n[mqtt]\nhost = \"h\"\n", to: "gateway.toml")
        try folder.write("works\n", to: "gateway.password")
        // In the place of the former configuration is a folder.
        try StateFolder(path: folder.path("gateway.toml.old")).make()
        let end = try shell(
            "printf 'rose\\n' | forgetmenot-gateway setup --room R --host h --password-stdin --no-start --config \(file)"
        )
        #expect(end.status == 74 && end.errorLines.count == 1, "\(end)")
        #expect(try readFile(at: folder.path("gateway.password")) == Array("works\n".utf8))
        #expect(access(folder.path("gateway.password.old"), F_OK) != 0)
    }

    @Test func `a password is asked for at a terminal, and not shown`() throws {
        try #require(isProgramInstalled("script"))
        let file = folder.path("gateway.toml")
        let input = try folder.write("rose\n", to: "answers")
        let end = try RunningProgram([
            "sh", "-c",
            "script -qec '\(Program.gateway.path) setup --room R --host localhost --password-stdin --no-start --source simulation "
                + "--config \(file)' /dev/null < \(input)",
        ]).ended()
        #expect(end.output.contains("password for this gateway"), "\(end)")
        #expect(try readFile(at: folder.path("gateway.password")) == Array("rose\n".utf8))
        // A terminal that is written to before anybody reads shows it itself: once, above the question.
        let shown = try #require(end.output.firstRange(of: "password for this gateway"))
        #expect(!end.output[shown.upperBound...].contains("rose"), "\(end)")
    }

    @Test func `Ctrl-C at a hidden question ends the command, and the terminal shows again what is typed, also twice`()
        throws
    {
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(terminal) }
        // TIOCSPTLCK and TIOCGPTN, which Swift does not carry.
        var (lock, number): (Int32, UInt32) = (0, 0)
        let isOpen = ioctl(terminal, 0x4004_5431, &lock) == 0 && ioctl(terminal, 0x8004_5430, &number) == 0
        try #require(isOpen)
        func isHidden() -> Bool {
            var settings = termios()
            return tcgetattr(terminal, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) == 0
        }
        let command =
            "\(Program.gateway.path) setup --room R --host localhost --password-stdin --no-start --config \(folder.path("gateway.toml"))"
        let shown = "stty -a | tr -s \" ;\" \"\\n\" | grep -x -e -echo -e echo"
        // The shell survives Ctrl-C: at the end of a session the kernel resets its terminal.
        let script = "trap : INT; for round in 1 2; do \(command); \(shown); done"
        let session = try RunningProgram([
            "sh", "-c", "exec setsid --ctty sh -c '\(script)' < /dev/pts/\(number)",
        ])
        for _ in 0..<2 {
            let deadline = Clock.now + .seconds(60)
            while !isHidden() {
                guard Clock.now < deadline else { throw TestBrokerError("the command asks for no password") }
                poll(nil, 0, 10)
            }
            let written = write(terminal, [UInt8(3)], 1)
            #expect(written == 1)
            #expect(try session.line() == "echo")
        }
        #expect(try session.ended().output == "echo\necho\n")
        #expect(access(folder.path("gateway.toml"), F_OK) != 0)
    }

    @Test(.enabled(if: isProgramInstalled("script"), "skipped: no script here"))
    func `Ctrl-D at the question for the code of an invitation is no missing terminal`() throws {
        let command = "\(Program.gateway.path) join localhost --config \(folder.path("gateway.toml"))"
        let end = try RunningProgram(["sh", "-c", "script -qec '\(command)' /dev/null < /dev/null"]).ended()
        #expect(end.status == 64 && end.output.contains("\"\" is no code: type"), "\(end)")
    }

    @Test(.enabled(if: isProgramInstalled("script"), "skipped: no script here"))
    func `setup asks for the settings that the command line does not give`() throws {
        let file = folder.path("gateway.toml")
        let input = try folder.write("Kitchen\nlocalhost\n", to: "answers")
        let end = try RunningProgram([
            "sh", "-c",
            "script -qec '\(Program.gateway.path) setup --no-start --source simulation --config \(file)' /dev/null < \(input)",
        ]).ended()
        #expect(end.output.contains("Which room does this gateway serve?"), "\(end)")
        let text = try String(decoding: readFile(at: file), as: UTF8.self)
        #expect(text.contains("room = \"Kitchen\"") && text.contains("host = \"localhost\""), "\(text)")
    }
}
