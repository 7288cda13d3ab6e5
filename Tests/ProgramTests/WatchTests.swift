import Beacons
import Glibc
import Linux
import Messages
import TestBroker
import Testing

/// `watch` on a terminal.
@Suite(.enabled(if: TestBroker.isInstalled && isProgramInstalled("setsid"), "skipped: no mosquitto or no setsid here"))
struct WatchTests {
    /// A terminal with ten lines, on which a shell command runs.
    private final class PseudoTerminal {
        private let master: Int32
        /// Held open, so that the terminal outlives the program.
        private let slave: Int32
        private let program: RunningProgram
        private var text = ""
        /// All that the terminal has shown.
        private(set) var shown = ""

        /// TIOCSPTLCK and TIOCGPTN, which Swift does not import.
        private static let (unlock, number): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

        init(_ command: String) throws {
            master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            var (isLocked, number): (Int32, UInt32) = (0, 0)
            guard ioctl(master, Self.unlock, &isLocked) == 0, ioctl(master, Self.number, &number) == 0 else {
                throw SystemError.last("make a terminal")
            }
            let path = "/dev/pts/\(number)"
            slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
            var size = winsize(ws_row: 10, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
            _ = ioctl(master, UInt(TIOCSWINSZ), &size)
            program = try RunningProgram([
                "sh", "-c", "exec setsid -w -c sh -c \"$0\" <\(path) >\(path) 2>&1", command,
            ])
        }

        deinit {
            close(master)
            close(slave)
        }

        /// Whether typed characters are shown, and read line by line.
        var isRestored: Bool {
            var settings = termios()
            tcgetattr(master, &settings)
            return settings.c_lflag & tcflag_t(ICANON) != 0 && settings.c_lflag & tcflag_t(ECHO) != 0
        }

        func type(_ keys: String) { _ = keys.withCString { write(master, $0, strlen($0)) } }

        /// Waits until the terminal shows `words`, beginning with what was not yet waited for.
        func shows(_ words: String) throws {
            let deadline = Clock.now + .seconds(30)
            while true {
                if let range = text.firstRange(of: words) {
                    text = String(text[range.upperBound...])
                    return
                }
                guard wait(for: [master], until: deadline).contains(true) else {
                    throw TestBrokerError("no \(words) in: \(text)")
                }
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = read(master, &bytes, bytes.count)
                let new = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
                text += new
                shown += new
            }
        }

        func ended() throws -> Int32 { try program.ended().status }
    }

    private func command(_ site: Site) -> String {
        "\(Program.aggregator.path) watch --config \(site.folder.path("aggregator.toml"))"
    }

    private func makeSite() throws -> Site {
        let site = try Site()
        try site.aggregatorFile()
        let stamp = Stamp(at: Clock.wall, boot: try #require(Boot("17.kfqx")), uptime: .zero)
        let items = (10..<40).map { number in
            ItemLocation(
                item: "item-\(number)", name: "Item \(number)", presence: .away, since: Clock.wall, stamp: stamp)
        }
        try Observer(site.broker).publish(
            items.map { ("forgetmenot/items/\($0.item)/location", String(decoding: $0.bytes, as: UTF8.self), true) })
        return site
    }

    @Test func `watch scrolls by keys to each item, and ends by q`() throws {
        let site = try makeSite()
        let terminal = try PseudoTerminal(command(site))
        try terminal.shows("1 to 5 of 30")
        #expect(!terminal.isRestored)
        for _ in 0..<2 {
            for (keys, shown) in [
                ("\u{1B}[6~", "Item 15"), ("\u{1B}[B", "7 to 11 of 30"), ("\u{1B}[F", "Item 39"),
                ("\u{1B}[A", "25 to 29 of 30"), ("\u{1B}[H", "1 to 5 of 30"),
            ] {
                terminal.type(keys)
                try terminal.shows(shown)
            }
        }
        terminal.type("q")
        #expect(try terminal.ended() == 0)
        #expect(terminal.isRestored)
        try terminal.shows("\u{1B}[?25h")
    }

    @Test func `watch states nothing about the site before the broker responds`() throws {
        let site = try makeSite()
        let silent = try ScriptedBroker()
        try site.folder.write("[mqtt]\nhost = \"127.0.0.1\"\nport = \(silent.port)\n", to: "aggregator.toml")
        for _ in 0..<2 {
            let terminal = try PseudoTerminal(command(site))
            try terminal.shows("\u{1B}[?25l")
            // A key has the screen drawn at once.
            terminal.type("\u{1B}[6~")
            try terminal.shows("Connecting to 127.0.0.1:\(silent.port) …")
            try terminal.shows("forgetmenot: the broker 127.0.0.1:\(silent.port) does not respond")
            #expect(try terminal.ended() == 69)
            let shown = terminal.shown
            #expect(!shown.contains("no items") && !shown.contains("gateways online"), "\(shown)")
        }
    }

    @Test(arguments: ["\u{3}", "\u{1C}"])
    func `watch restores the terminal when a signal ends it`(key: String) throws {
        let site = try makeSite()
        for _ in 0..<2 {
            let terminal = try PseudoTerminal("ulimit -c 0; exec " + command(site))
            try terminal.shows("1 to 5 of 30")
            #expect(!terminal.isRestored)
            terminal.type(key)
            _ = try terminal.ended()
            #expect(terminal.isRestored)
            try terminal.shows("\u{1B}[?25h")
        }
    }

    @Test func `watch restores the terminal when it ends by an error`() throws {
        let site = try makeSite()
        try site.folder.write("[mqtt]\nhost = \"localhost\"\nport = 1\n", to: "aggregator.toml")
        let terminal = try PseudoTerminal(command(site))
        try terminal.shows("\u{1B}[?25h")
        #expect(try terminal.ended() == 69)
        #expect(terminal.isRestored)
    }

    @Test func `watch restores the terminal while it is suspended, and continues`() throws {
        let site = try makeSite()
        let terminal = try PseudoTerminal("set -m; \(command(site)); stty -a; echo; fg; stty -a; echo; fg; echo over")
        for _ in 0..<2 {
            try terminal.shows("1 to 5 of 30")
            terminal.type("\u{1B}[6~")
            try terminal.shows("6 to 10 of 30")
            terminal.type("\u{1A}")
            try terminal.shows(" icanon")
            // The rows stay where they are.
            try terminal.shows("6 to 10 of 30")
            terminal.type("\u{1B}[H")
        }
        terminal.type("q")
        try terminal.shows("over")
        #expect(try terminal.ended() == 0)
        #expect(terminal.isRestored)
    }
}
