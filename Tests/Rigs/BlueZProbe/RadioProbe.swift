import Beacons
import BlueZ
import Glibc
import HCI
import Linux

/// Runs a radio and prints what it reports and how much it received.
///
/// `heard TOTAL distinct DISTINCT lost LOST last ADDRESS RSSI` comes whenever that changed, five times a second at most. Distinct counts sequence numbers, which
/// the virtual controller puts into major and minor.
struct RadioProbe {
    private let radio: BlueZRadio
    private var commands = Commands()
    private var total = 0
    private var lost: UInt64 = 0
    private var seen: Set<UInt32> = []
    private var last: (advertisement: Advertisement, frame: BeaconFrame)?
    private var printed: (total: Int, lost: UInt64) = (0, 0)
    private var printAt = Instant.zero
    private var described = ""

    init(_ arguments: Arguments) {
        radio = BlueZRadio(
            BlueZOptions(
                adapter: arguments.adapter,
                interface: AdapterInterface(rawValue: arguments.values["interface"] ?? "auto") ?? .auto,
                scanInterval: arguments.milliseconds("interval_ms", default: 60),
                scanWindow: arguments.milliseconds("window_ms", default: 60),
                active: arguments.words.contains("active")))
    }

    mutating func run() {
        var isRunning = true
        while isRunning {
            let deadlines = [radio.nextDeadline, printAt > .zero ? printAt : nil].compactMap(\.self)
            _ = wait(for: radio.descriptors + (commands.isOver ? [] : [0]), until: deadlines.min())
            let now = Clock.now
            for notice in listen(at: now) { printNotice(notice) }
            for command in commands.take() where !obey(command, at: now) { isRunning = false }
            printCounts(at: now)
        }
        radio.stop()
        printNow("stopped")
    }

    private mutating func listen(at now: Instant) -> [RadioNotice] {
        var (total, last, seen) = (total, last, seen)
        defer { (self.total, self.last, self.seen) = (total, last, seen) }
        self.seen = []
        return radio.advance(to: now) { advertisement, data in
            total += 1
            if case .success(let frame) = BeaconFrame.read(data) {
                seen.insert(UInt32(frame.identity.major) << 16 | UInt32(frame.identity.minor))
                last = (advertisement, frame)
            }
        }
    }

    private mutating func printNotice(_ notice: RadioNotice) {
        switch notice {
        case .state(let state, let reason):
            printNow("state \(state.rawValue): \(reason)")
            let description =
                "using \(radio.interfaceName ?? "none") \(radio.adapterName ?? "none") \(radio.address.map { "\($0)" } ?? "none")"
            if description != described { printNow(description) }
            described = description
        case .proven: printNow("proven")
        case .lost(let count):
            lost += count
            if printAt == .zero { printAt = Clock.now }
        case .ended: printNow("ended")
        }
    }

    private mutating func obey(_ command: [Substring], at now: Instant) -> Bool {
        switch command.first {
        case "prove": radio.prove(at: now)
        case "restart": radio.restart(at: now)
        case "reset_counts":
            (total, lost, seen) = (0, 0, [])
            printed = (0, 0)
        case "deaf": usleep(UInt32(command.dropFirst().first ?? "0")! * 1000)
        case "quit": return false
        default: printNow("what is \(command)?")
        }
        if command.first != "quit" { printNow("obeyed \(command.joined(separator: " "))") }
        return true
    }

    private mutating func printCounts(at now: Instant) {
        guard total != printed.total || lost != printed.lost else { return printAt = .zero }
        guard now >= printAt, printAt > .zero else {
            if printAt == .zero { printAt = now + .milliseconds(200) }
            return
        }
        let beacon = last.map { last in
            let rssi = last.advertisement.rssi.map { "\($0.dBm)" } ?? "none"
            return "\(last.advertisement.address) \(rssi) \(last.frame.identity) \(last.frame.measuredPower.dBm)"
        }
        printNow("heard \(total) distinct \(seen.count) lost \(lost) last \(beacon ?? "none")")
        printed = (total, lost)
        printAt = .zero
    }
}
