import Glibc
import Linux
import TestBroker
import Testing

/// What becomes of a command's output.
struct OutputTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    /// Where the output goes.
    enum Way: String, CaseIterable {
        case full = "a full disk"
        case closed = "a closed descriptor"
        case unread = "a pipe without a reader"
    }

    /// Runs a program with its standard output so.
    private func run(_ program: Program, _ words: [String], _ way: Way) throws -> Ended {
        let fifo = folder.path("fifo-\(UInt32.random(in: 0 ... .max))")
        #expect(mkfifo(fifo, 0o600) == 0)
        let redirection =
            switch way {
            case .full: "exec \"$@\" >/dev/full"
            case .closed: "exec \"$@\" >&-"
            // Open for both, a pipe waits for nobody; then its only reader goes.
            case .unread: "exec 9<>'\(fifo)' 8>'\(fifo)' 9>&-; exec \"$@\" >&8 8>&-"
            }
        return try RunningProgram(["sh", "-c", redirection, "sh", program.path] + words).ended()
    }

    /// Expects 74 and a sentence if nobody can have the output, and the command's own status without a word if nobody wants it.
    private func expect(_ program: Program, _ words: [String], status: Int32) throws {
        for way in Way.allCases {
            let end = try run(program, words, way)
            if way == .unread {
                #expect(end.status == status && end.errors.isEmpty, "\(way.rawValue), \(words): \(end)")
            } else {
                #expect(end.status == 74 && end.errorLines.count == 1, "\(way.rawValue), \(words): \(end)")
                #expect(end.errors.contains("standard output"), "\(way.rawValue), \(words): \(end)")
            }
        }
    }

    @Test(arguments: [Program.gateway, .aggregator], [["--help"], ["--version"], ["check", "--help"]])
    func `help that does not get out is no success`(program: Program, words: [String]) throws {
        try expect(program, words, status: 0)
    }

    @Test func `mistakes in a file that do not get out are no clean file`() throws {
        let file = try folder.write("nonsense = 1\n", to: "wrong.toml")
        for program in [Program.gateway, .aggregator] {
            try expect(program, ["check", "--config", file], status: 78)
        }
    }

    @Test(arguments: [[], ["--json"], ["--all"]])
    func `a scan that does not get out is no success`(options: [String]) throws {
        let recording = try Recording(in: folder, lasting: .seconds(5))
        let file = try folder.write(
            "state_directory = \"state\"\n[radio]\nsource = \"capture:\(recording.path)\"\nspeed = \"fast\"\n",
            to: "scan.toml")
        try expect(.gateway, ["scan", "--config", file] + options, status: 0)
    }

    @Test func `a recording or a replay into a pipe is over with its reader, and 74 on a full disk`() throws {
        let recording = try Recording(in: folder, lasting: .seconds(120))
        let file = try folder.write(
            "state_directory = \"state\"\n[radio]\nsource = \"capture:\(recording.path)\"\nspeed = \"fast\"\n",
            to: "scan.toml")
        let sightings = try folder.write(
            "t_ms,gateway,beacon,rssi\n0,kitchen,bag,-60\n20000000,kitchen,bag,-60\n", to: "sightings.csv")
        let site = try folder.write("", to: "site.toml")
        let commands: [(Program, [String])] = [
            (.gateway, ["record", "/dev/stdout", "--config", file]),
            (.aggregator, ["replay", "--sightings", sightings, "--site", site, "--output", "/dev/stdout"]),
        ]
        for (program, words) in commands {
            // More than a pipe holds, so that the program still writes when its reader goes.
            let line = "{ \"$@\"; echo $? >&3; } 3>'\(folder.path("status"))' | head -c 1 | wc -c"
            let unread = try RunningProgram(["sh", "-c", line, "sh", program.path] + words).ended()
            #expect(unread.output == "1\n" && unread.errors.isEmpty, "\(words): \(unread)")
            #expect(try readFile(at: folder.path("status")) == Array("0\n".utf8), "\(words)")
            let full = try run(program, words, .full)
            #expect(full.status == 74 && full.errorLines.count == 1, "\(words): \(full)")
        }
    }

    @Test(.enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
    func `a response that cannot be printed is no success, does not mean home, and reaches no broker`() throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        let aggregator = try site.startAggregator(["Ghost": Site.ghost])
        try observer.wait(
            forAllOf: [
                "forgetmenot/aggregator/info", "forgetmenot/items/ghost/location", "forgetmenot/registry/manifest",
            ])
        let seen = observer.seen.count
        let config = ["--config", site.folder.path("aggregator.toml")]
        for (words, status) in [
            (["where"], 0), (["where", "--json"], 0), (["items", "export"], 0),
            (["items", "list"], 0), (["learning"], 0), (["events", "--json"], 0), (["doctor"], 69),
        ] as [([String], Int32)] {
            try expect(.aggregator, words + config, status: status)
        }
        // This response has a sentence on standard error as well.
        for way in [Way.full, .closed] {
            let end = try run(.aggregator, ["where", "Ghost"] + config, way)
            #expect(end.status == 74 && end.errors.contains("standard output"), "\(way.rawValue): \(end)")
        }
        // What goes on ends by itself.
        try expect(.aggregator, ["watch"] + config, status: 0)
        try observer.wait(for: "something after all that") { observer.seen.count > seen }
        #expect(!observer.seen.contains { $0.topic.contains("Ghost") })
        let gone = try run(.aggregator, ["items", "remove", "nothing"] + config, .full)
        #expect(gone.status == 66 && gone.errorLines.count == 1, "\(gone)")
        #expect(try aggregator.ended(by: SIGTERM).status == 0)
    }

    @Test(arguments: [["items", "add"], ["items", "rename", "Keys"], ["where"], ["survey"]])
    func `a word that is no UTF-8 is refused, and not stored as something else`(words: [String]) throws {
        let line = "exec \"$@\" \"$(printf 'K\\374che')\" --config /dev/null"
        let end = try RunningProgram(["sh", "-c", line, "sh", Program.aggregator.path] + words).ended()
        #expect(end.status == 64 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
        #expect(end.errors.contains("UTF-8"), "\(end)")
    }

    @Test(.enabled(if: isProgramInstalled("jq"), "skipped: no jq here"), arguments: [Program.aggregator, .gateway])
    func `the manual page has the details of each option, and the exit statuses of the reference`(program: Program)
        throws
    {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let reference = root + "/Documentation/Forgetmenot.docc/Rules/Commands.md"
        let end = try RunningProgram([
            "sh", "-c",
            """
            '\(program.path)' --experimental-dump-help | jq -r --arg version 1.0.0 --arg files x \
                --rawfile commands '\(reference)' -f '\(root)/deploy/packages/manual.jq'
            """,
        ]).ended()
        try #require(end.status == 0, "\(end)")
        let manual = end.output.replacing("\\-", with: "-")
        let configuration = "\\fB--config\\fR \\fIconfig\\fR\n"
        for option in manual.split(separator: configuration).dropFirst() {
            let line = option.prefix { $0 != "\n" }
            #expect(line.contains("efault: "), "\(line)")
        }
        #expect(manual.contains("FORGETMENOT_CONFIG") == (program == .aggregator))
        let rows = try String(decoding: readFile(at: reference), as: UTF8.self).split(separator: "\n").compactMap {
            let cells = $0.split(separator: "|").map { $0.trimmingPrefix(" ") }
            return cells.count == 2 && UInt8(cells[0].dropLast()) != nil ? cells : nil
        }
        #expect(rows.count == 7)
        for row in rows {
            let meaning = row[1].dropLast().replacing("`", with: "")
            #expect(manual.contains(".TP\n\(row[0].dropLast())\n\(meaning)\n"), "\(meaning)")
        }
    }
}
