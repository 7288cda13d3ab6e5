import Beacons
import Glibc
import Linux
import TestBroker
import Testing

/// The paths that a person gives to commands, often by sudo: no device, pipe or link becomes a plain file.
struct NamedFileTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private func kind(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
    }

    /// A node of the test's own, never the machine's: a device like /dev/null where root runs the test, else a pipe.
    private func node() throws -> String {
        let path = folder.path("node")
        let isMade = geteuid() == 0 ? mknod(path, S_IFCHR | 0o666, 0x0103) : mkfifo(path, 0o600)
        try #require(isMade == 0)
        return path
    }

    /// Runs a line of a shell's in the folder, with our own programs in it.
    private func shell(_ line: String) throws -> Ended {
        try RunningProgram([
            "sh", "-c",
            "cd '\(folder.path)' || exit; "
                + line.replacing("GATEWAY", with: Program.gateway.path).replacing(
                    "AGGREGATOR", with: Program.aggregator.path),
        ]).ended()
    }

    /// The files of a replay.
    private func replayable() throws -> String {
        try folder.write("t_ms,gateway,beacon,rssi\n0,kitchen,bag,-60\n", to: "sightings.csv")
        try folder.write("", to: "site.toml")
        return "AGGREGATOR replay --sightings sightings.csv --site site.toml --output"
    }

    @Test(
        .enabled(if: isProgramInstalled("mosquitto_passwd"), "skipped: no mosquitto here"),
        arguments: [
            "AGGREGATOR broker-setup --folder broker --config",
            "GATEWAY setup --room R --host 127.0.0.1 --port 1 --no-start --config",
            "printf 'rose\\n' | GATEWAY setup --room R --host 127.0.0.1 --password-stdin --no-start --config",
        ])
    func `a device as a configuration is refused in one line, stays a device, and nothing is written`(line: String)
        throws
    {
        let path = try node()
        let end = try shell("\(line) \(path)")
        #expect(end.status == 64 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
        #expect(end.errors.contains("a file is needed"), "\(end)")
        #expect(kind(path) != S_IFREG)
        #expect(try StateFolder(path: folder.path).entries() == ["node"])
    }

    @Test(.enabled(if: isProgramInstalled("mosquitto_passwd"), "skipped: no mosquitto here"))
    func `a configuration that is a link stays a link, and the file at its end is written`() throws {
        try StateFolder(path: folder.path("far")).make()
        for name in ["aggregator.toml", "gateway.toml"] {
            try folder.write("# Mine.\n", to: "far/\(name)")
            #expect(symlink("far/\(name)", folder.path(name)) == 0)
        }
        #expect(try shell("AGGREGATOR broker-setup --folder broker --config aggregator.toml").status == 0)
        _ = try shell("GATEWAY setup --room R --host 127.0.0.1 --port 1 --no-start --config gateway.toml")
        for name in ["aggregator.toml", "gateway.toml"] {
            #expect(kind(folder.path(name)) == S_IFLNK, "\(name)")
            let text = try String(decoding: readFile(at: folder.path("far/\(name)")), as: UTF8.self)
            #expect(text.hasPrefix("# Mine.\n") && text.contains("[mqtt]"), "\(text)")
        }
    }

    @Test(.enabled(if: isProgramInstalled("mosquitto_passwd"), "skipped: no mosquitto here"))
    func `broker-setup writes the aggregator's secret beside its configuration, also where the path is relative`()
        throws
    {
        try folder.write("", to: "relative.toml")
        let end = try shell("AGGREGATOR broker-setup --folder broker --config relative.toml")
        #expect(end.status == 0 && end.output.contains("Completed [mqtt] in \(folder.path)/relative.toml"), "\(end)")
        #expect(
            try readFile(at: folder.path("relative.password"))
                == readFile(at: folder.path("broker/secrets/forgetmenot.password")))
        #expect(access("/relative.password", F_OK) != 0)
    }

    @Test func `replay writes a device as a device, and standard output where it stands`() throws {
        let command = try replayable()
        let device = try node()
        if geteuid() == 0 { #expect(try shell("\(command) node").status == 0) }
        #expect(kind(device) != S_IFREG)
        // A link of the test's own, as /dev/stdout is one.
        #expect(symlink("/proc/self/fd/1", folder.path("stdout")) == 0)
        let end = try shell("{ echo before; \(command) stdout; echo after; } > out.csv")
        #expect(end.status == 0 && end.errors.isEmpty, "\(end)")
        #expect(kind(folder.path("stdout")) == S_IFLNK)
        let lines = try String(decoding: readFile(at: folder.path("out.csv")), as: UTF8.self).split(separator: "\n")
        #expect(
            lines.first == "before" && lines.last == "after" && lines.contains { $0.hasPrefix("t_ms,") }, "\(lines)")
    }

    @Test func `record and replay write to standard output for the name -, each time, and make no file of that name`()
        throws
    {
        _ = try Recording(in: folder, lasting: .seconds(5))
        try folder.write(
            "state_directory = \"state\"\n[radio]\nsource = \"capture:recording.btsnoop\"\nspeed = \"fast\"\n",
            to: "gateway.toml")
        for (line, beginning) in [
            ("GATEWAY record - --config gateway.toml", "btsnoop\0"), (try replayable() + " -", "t_ms,beacon,"),
        ] {
            for _ in 1...2 {
                let end = try shell("{ printf before; \(line); } > out")
                #expect(end.status == 0 && end.errors.isEmpty, "\(end)")
                let written = try readFile(at: folder.path("out"))
                #expect(written.starts(with: Array("before\(beginning)".utf8)), "\(line)")
                #expect(access(folder.path("-"), F_OK) != 0)
            }
        }
    }

    @Test(arguments: [
        ("people add -Anna", "put -- before it: -- -Anna"), ("items add -dash --nearest", "put -- before it: -- -dash"),
        ("people add -h2", "put -- before it: -- -h2"), ("where -keys", "put -- before it: -- -keys"),
        ("items edit x --left-text -gone", "write = before a value that begins with a dash: --left-text=-gone"),
    ])
    func `a name that begins with a dash is refused with a sentence that states how to write it`(
        line: String, hint: String
    ) throws {
        for _ in 1...2 {
            let end = try shell("AGGREGATOR \(line)")
            #expect(end.status == 64 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
            #expect(end.errors.contains(hint), "\(end)")
        }
        // Written so, the command goes on to look for its configuration.
        for words in ["people add -- -h2", "where -- -keys", "items edit x --left-text=-gone"] {
            #expect(try shell("HOME=/nowhere AGGREGATOR \(words)").status == 66, "\(words)")
        }
        #expect(try shell("AGGREGATOR people add -h").output.hasPrefix("OVERVIEW"))
    }

    @Test func `replay writes through a link, which stays`() throws {
        let command = try replayable()
        #expect(symlink("real.csv", folder.path("link.csv")) == 0)
        #expect(try shell("\(command) link.csv").status == 0)
        #expect(kind(folder.path("link.csv")) == S_IFLNK && kind(folder.path("real.csv")) == S_IFREG)
    }

    @Test func `record writes a stream as a stream, and a full disk does not cost the link that leads to it`() throws {
        _ = try Recording(in: folder, lasting: .seconds(5))
        try folder.write(
            "state_directory = \"state\"\n[radio]\nsource = \"capture:recording.btsnoop\"\nspeed = \"fast\"\n",
            to: "gateway.toml")
        #expect(symlink("/proc/self/fd/1", folder.path("stdout")) == 0)
        let end = try shell("GATEWAY record stdout --config gateway.toml > copy.btsnoop")
        #expect(end.status == 0, "\(end)")
        #expect(try readFile(at: folder.path("copy.btsnoop")).starts(with: Array("btsnoop".utf8)))
        let full = try shell("ulimit -f 0; GATEWAY record stdout --config gateway.toml >> other.btsnoop")
        #expect(full.status == 74, "\(full)")
        #expect(kind(folder.path("stdout")) == S_IFLNK)
    }

    @Test(arguments: [
        "check --config /dev/stdin < gateway.toml", "check --config pipe & cat gateway.toml > pipe; wait $!",
    ])
    func `a configuration may come by a pipe`(words: String) throws {
        try folder.write("room = \"Kitchen\"\nstate_directory = \"state\"\n", to: "gateway.toml")
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        let end = try shell("GATEWAY \(words)")
        #expect(end.status == 0, "\(end)")
    }

    @Test(arguments: [
        "cat site.toml | AGGREGATOR check --config /dev/stdin",
        "cat site.toml | AGGREGATOR check --config /proc/self/fd/0",
    ])
    func `an aggregator's configuration may come by standard input`(line: String) throws {
        try folder.write("state_directory = \"state\"\n", to: "site.toml")
        let end = try shell(line)
        #expect(end.status == 0, "\(end)")
    }

    @Test(.enabled(if: geteuid() == 0, "skipped: only root can have a /dev of its own"), arguments: ["stdout", "typo"])
    func `where /dev has no such link, nothing is made there, and standard output is the output`(name: String) throws {
        _ = try replayable()
        // A /dev of this command alone; the second run meets what the first has left.
        let line = """
            unshare -m sh -c '
            mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 || exit
            for round in 1 2; do
                AGGREGATOR replay --sightings sightings.csv --site site.toml --output /dev/\(name); echo "status $?"
            done
            ls /dev'
            """
        let end = try shell(line)
        let lines = end.outputLines.map(String.init)
        #expect(lines.last == "null" && lines.filter { $0 == "\(name)" }.isEmpty, "\(end)")
        let statuses = lines.filter { $0.hasPrefix("status") }
        #expect(statuses == Array(repeating: name == "stdout" ? "status 0" : "status 74", count: 2), "\(end)")
        #expect(lines.filter { $0.hasPrefix("t_ms,") }.count == (name == "stdout" ? 2 : 0), "\(end)")
    }
}
