import Glibc
import Linux
import TestBroker
import Testing

/// `forgetmenot backup` and `restore` with files that are damaged or hostile, and with interruptions.
@Suite("The files of a backup")
struct RestoreTests {
    private let folder: TestFolder
    private let file: String
    private let backup: String
    /// Where the site is restored.
    private let target: String

    init() throws {
        folder = try TestFolder()
        file = folder.path("etc/aggregator.toml")
        backup = folder.path("site.tar.gz")
        target = folder.path("target/aggregator.toml")
        try shell("mkdir -p etc/broker/secrets state/events elsewhere tmp tools tree target")
        try folder.write(
            "state_directory = \"../state\"\n[mqtt]\nusername = \"a\"\npassword_file = \"aggregator.password\"\n"
                + "ca_file = \"\(folder.path)/elsewhere/ca.crt\"\n", to: "etc/aggregator.toml")
        for (name, text) in [
            "etc/aggregator.password": "rose", "etc/gateway.toml": "", "etc/broker/secrets/hall": "lily",
            "elsewhere/ca.crt": "certificate", "state/boot": "17\n", "state/past.txt": "past", "state/events/1.log": "",
        ] { try folder.write(text, to: name) }
    }

    @discardableResult
    private func shell(_ line: String) throws -> Ended {
        let end = try RunningProgram(["sh", "-c", "cd '\(folder.path)' && \(line)"]).ended()
        #expect(end.status == 0, "\(line): \(end)")
        return end
    }

    /// Runs a command with the temporary folder of the test's own, and with programs that replace those in PATH.
    private func run(_ words: String..., path: String? = nil) throws -> Ended {
        let environment = ["TMPDIR=\(folder.path("tmp"))"] + (path.map { ["PATH=\($0)"] } ?? [])
        return try RunningProgram(["/usr/bin/env"] + environment + [Program.aggregator.path] + words).ended()
    }

    private func back(up file: String) throws {
        let end = try run("backup", file, "--config", self.file)
        #expect(end.status == 0 && end.errors.isEmpty, "\(end)")
    }

    private func text(_ name: String) -> String? {
        (try? readFile(at: folder.path(name))).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Puts a program into a folder of its own; returns a PATH in which it replaces the real one.
    private func replace(_ program: String, by script: String) throws -> String {
        try folder.writeProgram(script, to: "tools/\(program)")
        return folder.path("tools") + ":/usr/bin:/bin"
    }

    private func names(_ name: String) throws -> [String] {
        try StateFolder(path: folder.path(name)).entries().sorted()
    }

    private func expectNothing() throws {
        #expect(try names("target").isEmpty && names("tmp").isEmpty)
        #expect(text("state/boot") == nil && text("former/boot") == "17\n")
    }

    @Test func `restore reports who is let in again and who no longer, and has mosquitto load the files again`() throws
    {
        try folder.write("hall:$7$a\nthief:$7$b\nattic:$7$c\n", to: "etc/broker/gateways.passwords")
        try folder.write("anna:$7$d\n", to: "etc/broker/users.passwords")
        try folder.write("as of the backup", to: "etc/broker/loaded")
        try back(up: backup)
        for _ in 1...2 {
            try folder.write("hall:$7$a\nattic:$7$new\nbath:$7$e\n", to: "etc/broker/gateways.passwords")
            try folder.write("anna:$7$d\nbea:$7$f\n", to: "etc/broker/users.passwords")
            try folder.write("as of now", to: "etc/broker/loaded")
            let end = try run("restore", backup, "--config", file, "--force")
            #expect(end.status == 0, "\(end)")
            #expect(end.output.contains("Let in as at the time of the backup: attic, thief"), "\(end)")
            #expect(end.output.contains("No longer let in: bath, bea"), "\(end)")
            #expect(end.output.contains("restart mosquitto"), "\(end)")
            #expect(text("etc/broker/loaded") == nil)
        }
        let again = try run("restore", backup, "--config", file, "--force")
        #expect(again.status == 0 && !again.output.contains("et in"), "\(again)")
    }

    @Test func `a backup has the files that the configuration names, and restore leaves those of other folders alone`()
        throws
    {
        try back(up: backup)
        let list = try shell("tar -tzf site.tar.gz").outputLines.filter { !$0.hasSuffix("/") }
        let elsewhere = "elsewhere\(folder.path)/elsewhere/ca.crt"
        #expect(
            list.sorted() == [
                "configuration/aggregator.password", "configuration/aggregator.toml",
                "configuration/broker/secrets/hall", elsewhere[...], "forgetmenot-backup", "state/boot",
                "state/events/1.log", "state/past.txt",
            ])
        try shell("rm -r etc state elsewhere/ca.crt")
        let end = try run("restore", backup, "--config", file)
        #expect(
            end.status == 0 && end.errors.isEmpty && end.output.contains("elsewhere/ca.crt is not restored"), "\(end)")
        #expect(try names("etc") == ["aggregator.password", "aggregator.toml", "broker"] && names("elsewhere").isEmpty)
        #expect(text("etc/aggregator.password") == "rose" && text("state/past.txt") == "past")
        // More than 17: the starts after the backup are unknown.
        #expect(text("state/boot").flatMap { Int($0.dropLast()) }.map { $0 > 100 && $0 < 10_000 } == true)
    }

    @Test func `an interrupted or failed backup leaves the older one, and the next leaves nothing else behind`() throws
    {
        try back(up: backup)
        let former = try readFile(at: backup)
        let files = try names("")
        try folder.write("new", to: "state/past.txt")
        let failed = try run("backup", backup, "--config", file, path: replace("tar", by: "printf half; exit 2"))
        #expect(failed.status == 74 && failed.errorLines.count == 1 && failed.errors.contains(backup), "\(failed)")
        #expect(try readFile(at: backup) == former && names("") == files && names("tmp").isEmpty)
        let killed = try run(
            "backup", backup, "--config", file, path: replace("tar", by: "printf half; kill -KILL $PPID"))
        #expect(killed.status == -SIGKILL, "\(killed)")
        #expect(try readFile(at: backup) == former)
        try back(up: backup)
        #expect(try readFile(at: backup) != former && names("") == files && names("tmp").isEmpty)
    }

    @Test(arguments: ["site.json", "surveys.json", "subscriptions.json", "plan.toml", "offsets.toml"])
    func `a backup of a site with a damaged file fails, also twice, and leaves the older one`(name: String) throws {
        try back(up: backup)
        let former = try readFile(at: backup)
        try folder.write("{broken", to: "state/\(name)")
        for _ in 0..<2 {
            let end = try run("backup", backup, "--config", file)
            #expect(end.status == 66 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
            #expect(end.errors.contains("\(name) is damaged"), "\(end)")
            #expect(try readFile(at: backup) == former && names("tmp").isEmpty)
        }
        try shell("rm state/\(name)")
        try back(up: backup)
    }

    @Test func `a backup to standard output is refused, and leaves no file named like it`() throws {
        let line = "cd '\(folder.path)' && '\(Program.aggregator.path)' backup - --config etc/aggregator.toml"
        for _ in 0..<2 {
            let end = try RunningProgram(["sh", "-c", line]).ended()
            #expect(end.status == 64 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
            #expect(try !names("").contains("-"))
        }
    }

    @Test func `an interrupted restore leaves no site, and the next restores all of it`() throws {
        try back(up: backup)
        try shell("mv state former")
        let script = "case \"$*\" in *--directory*) kill -KILL $PPID;; esac\nexec /usr/bin/tar \"$@\""
        let end = try run("restore", backup, "--config", target, path: replace("tar", by: script))
        #expect(end.status == -SIGKILL, "\(end)")
        #expect(text("target/aggregator.toml") == nil && text("state/boot") == nil)
        let again = try run("restore", backup, "--config", target)
        #expect(again.status == 0, "\(again)")
        #expect(try names("target") == ["aggregator.password", "aggregator.toml", "broker"] && names("tmp").isEmpty)
        #expect(try names("").contains { $0.hasPrefix(".forgetmenot") } == false)
    }

    @Test func `restore refuses an existing site, and with --force sets it aside with every file that differs`() throws
    {
        try back(up: backup)
        try folder.write("lily", to: "etc/aggregator.password")
        try folder.write("today", to: "state/past.txt")
        try folder.write("4000000\n", to: "state/boot")
        let refused = try run("restore", backup, "--config", file)
        #expect(
            refused.status == 64 && refused.errorLines.count == 1 && refused.errors.contains("--force"), "\(refused)")
        #expect(text("state/past.txt") == "today" && text("etc/aggregator.password") == "lily")
        let end = try run("restore", backup, "--config", file, "--force")
        #expect(end.status == 0 && end.outputLines.count == 4, "\(end)")
        #expect(text("state/past.txt") == "past" && text("etc/aggregator.password") == "rose")
        #expect(text("state.before-restore/past.txt") == "today")
        #expect(text("etc/aggregator.password.before-restore") == "lily")
        #expect(text("etc/aggregator.toml.before-restore") == nil && text("etc/gateway.toml") == "")
        // The counter never goes back.
        #expect(text("state/boot") == "4000000\n")
        let again = try run("restore", backup, "--config", file, "--force")
        #expect(again.status == 0 && text("state.before-restore-2/past.txt") == "past", "\(again)")
        #expect(text("etc/aggregator.password.before-restore") == "lily")
    }

    @Test func `restore with --force sets no folder aside that has no site`() throws {
        try back(up: backup)
        try shell("rm -r state && mkdir state && touch state/letter")
        let end = try run("restore", backup, "--config", file, "--force")
        #expect(end.status == 64 && end.errorLines.count == 1 && end.errors.contains("no site"), "\(end)")
        #expect(try names("state") == ["letter"] && names("").contains("state.before-restore") == false)
    }

    @Test func `a restore that fails in the middle undoes what it has done`() throws {
        // Nothing can be set aside under a longer name.
        let state = String(repeating: "s", count: 250)
        let configuration = try #require(text("etc/aggregator.toml")).replacing("../state", with: "../\(state)")
        try folder.write(configuration, to: "etc/aggregator.toml")
        try shell("mv state \(state)")
        try back(up: backup)
        try folder.write("lily", to: "etc/aggregator.password")
        try folder.write("today", to: "\(state)/past.txt")
        let former = try (names(""), names("etc"))
        let end = try run("restore", backup, "--config", file, "--force")
        #expect(end.status == 74 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
        #expect(text("\(state)/past.txt") == "today" && text("etc/aggregator.password") == "lily")
        #expect(try names("") == former.0 && names("etc") == former.1)
    }

    @Test func `restore refuses a file in the place of the state folder`() throws {
        try back(up: backup)
        try shell("rm -r state && echo letter >state")
        let end = try run("restore", backup, "--config", file, "--force")
        #expect(end.status == 64 && end.errorLines.count == 1 && end.errors.contains("is no folder"), "\(end)")
        #expect(text("state") == "letter\n")
    }

    /// A line of the shell that changes the unpacked backup in `tree`, the entries to pack, and what the refusal contains.
    static let hostile: [(change: String, pack: String, words: String)] = [
        ("touch ../evil", "-P * ../evil", "leads out"),
        ("touch ../evil", "-P * $(realpath ../evil)", "leads out"),
        ("touch state/e", "-P * --transform=s,^state/e$,state/../../e,", "leads out"),
        ("ln -s /etc/passwd state/site.json", "*", "is a link"),
        ("ln -s /etc configuration/broker/etc", "*", "is a link"),
        ("ln state/boot state/site.json", "*", "is a link"),
        ("rm -r state/events && ln -s /etc state/events", "*", "is a link"),
        ("mkfifo state/site.json", "*", "is no file"),
        ("truncate -s 2G state/past.txt", "--sparse *", "at most 1073741824 are read"),
        ("truncate -s 2G configuration/aggregator.password", "--sparse *", "at most 1073741824 are read"),
        ("touch state/letter", "*", "is none that a backup has"),
        ("touch state/events/letter", "*", "is none that a backup has"),
        ("touch letter", "*", "is none that a backup has"),
        ("touch configuration/gateway.toml", "*", "no file of its configuration"),
        ("chmod 4755 state/boot", "*", "unusual"),
        ("true", "--hard-dereference * state/boot", "stands twice"),
        ("rm forgetmenot-backup", "*", "another program's"),
        ("rm state/boot", "*", "another program's"),
        ("sed -i 's/format = 1/format = 2/' forgetmenot-backup", "*", "a newer version wrote it"),
        ("echo letter=1 >>configuration/aggregator.toml", "*", "its configuration has problems"),
        ("echo '{' >state/site.json", "*", "could not read"),
    ]

    @Test(arguments: hostile)
    func `restore refuses a hostile archive in one sentence before it writes anything`(
        change: String, pack: String, words: String
    ) throws {
        try back(up: backup)
        try shell("mv state former && tar -C tree -xzpf site.tar.gz && cd tree && \(change)")
        let all = "$(ls -d forgetmenot-backup letter 2>/dev/null) configuration elsewhere state"
        try shell("cd tree && tar -czf ../hostile.tar.gz \(pack.replacing("*", with: all))")
        let end = try run("restore", folder.path("hostile.tar.gz"), "--config", target)
        #expect(end.status == 66 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
        #expect(end.errors.contains(words) && end.errors.contains("hostile.tar.gz"), "\(end)")
        try expectNothing()
    }

    @Test(.enabled(if: geteuid() == 0, "skipped: only root makes device nodes"))
    func `restore refuses an archive with a device node`() throws {
        try back(up: backup)
        try shell("mv state former && tar -C tree -xzpf site.tar.gz && cd tree && mknod state/site.json c 1 3")
        try shell("cd tree && tar -czf ../hostile.tar.gz forgetmenot-backup configuration state")
        let end = try run("restore", folder.path("hostile.tar.gz"), "--config", target)
        #expect(end.status == 66 && end.errorLines.count == 1 && end.errors.contains("is no file"), "\(end)")
        try expectNothing()
    }

    @Test func `restore refuses files that are cut off, changed or of other kinds`() throws {
        try back(up: backup)
        try shell("mv state former")
        let bytes = try readFile(at: backup)
        var changed = bytes
        changed[bytes.count / 2] ^= 0x40
        for wrong in [
            Array(bytes.dropLast(9)), Array(bytes.prefix(bytes.count / 2)), changed, [], Array("a text".utf8),
        ] {
            try replaceFile(at: folder.path("wrong.tar.gz"), with: wrong)
            let end = try run("restore", folder.path("wrong.tar.gz"), "--config", target)
            #expect(end.status == 66 && end.errorLines.count == 1 && end.errors.contains("is not restored"), "\(end)")
            try expectNothing()
        }
        let missing = try run("restore", folder.path("nothing"), "--config", target)
        #expect(missing.status == 66 && missing.errorLines.count == 1, "\(missing)")
        let nothing = try run("backup", backup, "--config", file)
        #expect(
            nothing.status == 66 && nothing.errorLines.count == 1 && nothing.errors.contains("no site"), "\(nothing)")
    }

    // MARK: age

    @Test(.enabled(if: isProgramInstalled("age"), "skipped: the program age is not installed"))
    func `a backup whose name ends with .age is encrypted by age, and restored with its key alone`() throws {
        try shell("age-keygen -o key 2>/dev/null && age-keygen -y key >recipients && age-keygen -o other 2>/dev/null")
        let secret = folder.path("site.tar.gz.age")
        let end = try run("backup", secret, "--config", file, "--recipients", folder.path("recipients"))
        #expect(end.status == 0 && end.outputLines.count == 1 && end.errors.isEmpty, "\(end)")
        #expect(try readFile(at: secret).starts(with: Array("age-encryption.org".utf8)))
        try shell("mv state former")
        let refused = try run("restore", secret, "--config", target, "--identity", folder.path("other"))
        #expect(refused.status == 66 && refused.errors.contains("is not decrypted"), "\(refused)")
        #expect(try names("target").isEmpty && names("tmp").isEmpty)
        let restored = try run("restore", secret, "--config", target, "--identity", folder.path("key"))
        #expect(restored.status == 0 && text("state/past.txt") == "past", "\(restored)")
        let open = try run("backup", backup, "--config", target, "--recipients", folder.path("recipients"))
        #expect(open.status == 64 && text("site.tar.gz") == nil, "\(open)")
    }

    @Test func `without age, an encrypted backup fails in one sentence that names the package`() throws {
        for program in ["tar", "gzip", "rm", "env"] { try shell("ln -s /usr/bin/\(program) tools/\(program)") }
        let end = try run("backup", folder.path("site.age"), "--config", file, path: folder.path("tools"))
        #expect(end.status == 74 && end.errorLines.count == 1 && end.errors.contains("sudo apt install age"), "\(end)")
        #expect(text("site.age") == nil)
    }
}
