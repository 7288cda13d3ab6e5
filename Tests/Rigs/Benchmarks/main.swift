// make bench: how many advertisements one second of processor time suffices for, and what a report costs the belief. One more benchmark is one more file and one more line here.
import Glibc
import Linux
import TestBroker

// For Tests/instructions/run: `Benchmarks rows` prints the rows, and `Benchmarks count ROW MESSAGES` only runs one.
let arguments = CommandLine.arguments
if arguments.count == 2, arguments[1] == "rows" {
    for row in MessageCost.rows { print(row.id) }
    exit(0)
}
if arguments.count == 4, arguments[1] == "count", let row = MessageCost.rows.first(where: { $0.id == arguments[2] }),
    let count = Int(arguments[3])
{
    precondition(row.run(count) > 0)
    exit(0)
}

// For heaptrack: `Benchmarks memory ITEMS GATEWAYS` only builds that site.
if arguments.count == 4, arguments[1] == "memory", let items = Int(arguments[2]), let gateways = Int(arguments[3]) {
    // The site is still there when the process ends, so that its memory counts as leaked.
    SiteLoad.memory(items: items, gateways: gateways) { bytes in
        print(tenths(bytes))
        exit(0)
    }
}
if arguments.count == 3, arguments[1] == "publish", let port = Int32(arguments[2]) {
    exit(BrokerCost.publish(to: port))
}

let corpus = Corpus(adverts: 100_000, reportsPerEvent: 1)
let benchmarks: [Benchmark] = [
    Peers.scan(corpus),
    .decoding(reportsPerEvent: 1),
    .decoding(reportsPerEvent: 6),
    .pipeline(corpus),
]

/// What is measured: `gateway`, `site` (with `large` up to 100,000 items), `latency`, `message`; without a word everything.
var goals = Goals()
let requested = Set(CommandLine.arguments.dropFirst())

if requested.isEmpty || requested.contains("gateway") {
    print("Adverts per CPU-second, in millions: 30 % iBeacons of 200 identities, 70 % other.\n")
    print(row("", "best", "median", "rounds", "of C", "goal"))
    var scan = 0.0
    for (index, benchmark) in benchmarks.enumerated() {
        let result = benchmark.run(for: .seconds(2))
        if index == 0 { scan = result.best }
        // A share of what the same processor does in C in the same run: other work on the machine slows down both.
        let share = result.best / scan
        print(
            row(
                benchmark.name, millions(result.best), millions(result.median), String(result.rounds),
                hundredths(share),
                index == 1 ? "  " + goals.least(0.25, share, of: "decoding beside a scan in C") : ""))
    }
    for peer in try Peers.python(corpus, in: ".build/peers") {
        print(row("\(peer.name), of PyPI, in thousands", tenths(peer.millions * 1000)))
    }
    if TestBroker.isInstalled {
        print("\nThe gateway's program with a real mosquitto: millions of advertisements per CPU-second; its start.\n")
        let rate = try GatewayRuns.advertsPerSecond(
            Corpus(adverts: 300_000, reportsPerEvent: 1), programs: ".build/release")
        print(
            row(
                "from a recording to the broker", hundredths(rate / 1e6), rate < 0.6e6 ? "goal 0.6: missed" : "goal 0.6"
            ))
        let start = try GatewayRuns.start(programs: ".build/release")
        print(
            row(
                "start until it scans, ms of the processor", tenths(start.milliseconds),
                start.milliseconds > 11 ? "goal 11: missed" : "goal 11"))
        print(
            row(
                "memory then, MB", tenths(start.megabytes),
                "  " + goals.most(16, start.megabytes, of: "memory of a gateway that scans, in MB")))
    }

    print("\nMicroseconds of the processor for one report to the belief, 12 gateways, six rooms.\n")
    for (name, model) in ReportCost.models {
        let costs = (0..<5).map { _ in ReportCost.perReport(model) }.sorted()
        print(row(name, tenths(costs[0]), tenths(costs[2]), String(costs.count)))
    }
}
if requested.isEmpty || requested.contains("site") {
    SiteTable.print(&goals, largest: requested.contains("large") || requested.isEmpty ? 100_000 : 10_000)
}

if requested.isEmpty || requested.contains("latency"), TestBroker.isInstalled {
    print("\nMilliseconds on the loopback: an advertisement to the gateway's enter, its exit to the item's left.\n")
    print(row("", "p50", "p99", "p50", "p99", "events"))
    for commitWithin in ["0s", "1s"] {
        let (enters, departures) = try Latency(commitWithin: commitWithin).measure(programs: ".build/release")
        print(
            row(
                "commit_within = \"\(commitWithin)\"", tenths(enters.quantile(0.5)), tenths(enters.quantile(0.99)),
                tenths(departures.quantile(0.5)), tenths(departures.quantile(0.99)), String(departures.count)))
    }
}
if requested.isEmpty || requested.contains("history"), TestDatabase.isInstalled {
    let cost = try HistoryCost.measure()
    print("\nEvents a second into a copy of the history in PostgreSQL, and µs of the processor for each.\n")
    print(row("", "a second", "goal", "ours", "server"))
    print(
        row(
            "20,000 events of 1,000 items", String(Int(cost.rate)), "1000", tenths(cost.client), tenths(cost.server)))
}
if requested.isEmpty || requested.contains("message") {
    print("\nMicroseconds of the processor for one message.\n")
}
for message in MessageCost.rows where requested.isEmpty || requested.contains("message") {
    let result = Benchmark(name: message.name) {
        precondition(message.run(20_000) > 0)
        return 20_000
    }.run(for: .seconds(1))
    print(row(message.name, hundredths(1e6 / result.best), hundredths(1e6 / result.median), String(result.rounds)))
}

if requested.isEmpty || requested.contains("message"), TestBroker.isInstalled {
    print("\nMicroseconds of the processor for one message between mosquitto and the service.\n")
    for (name, microseconds) in try BrokerCost().rows() { print(row(name, hundredths(microseconds))) }
}

guard goals.missed.isEmpty else {
    print("\nMissed goals:")
    for goal in goals.missed { print(goal) }
    exit(1)
}

/// A name, and columns of numbers.
func row(_ name: String, _ columns: String...) -> String {
    let padded = name + String(repeating: " ", count: max(0, 44 - name.count))
    return columns.reduce(padded) { $0 + String(repeating: " ", count: max(1, 9 - $1.count)) + $1 }
}

/// `62.6` for 62,600,000.
func millions(_ count: Double) -> String { tenths(count / 1e6) }

/// `62.6` for 62.57.
func tenths(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
}

/// `0.26` for 0.257.
func hundredths(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    return "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10)"
}
