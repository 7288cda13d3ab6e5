// make bench: how many advertisements one second of processor time suffices for, and what a report costs the belief. One more benchmark is one more file and one more line here.
import BareClient
import Glibc
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

if arguments.count == 6, arguments[1] == "gateway", let port = Int32(arguments[2]), let qos = Int32(arguments[4]),
    let milliseconds = Int32(arguments[5])
{
    let states = bare_gateway(port, arguments[3], qos, milliseconds)
    print(states)
    exit(states > 0 ? 0 : 1)
}

let corpus = Corpus(adverts: 100_000, reportsPerEvent: 1)
let benchmarks: [Benchmark] = [
    Peers.scan(corpus),
    .decoding(reportsPerEvent: 1),
    .decoding(reportsPerEvent: 6),
    .pipeline(corpus),
]

/// What is measured: `gateway`, `site` (with `large` up to 100,000 items), `latency`, `message`; without a word everything.
var goals = Goals(corpus)
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
    let resolving = Benchmark.resolving
    let rates = resolving.run(for: .seconds(1))
    print(row("\(resolving.name), in thousands", tenths(rates.best / 1000), tenths(rates.median / 1000)))
    for peer in try Peers.python(corpus, in: ".build/peers") {
        print(row("\(peer.name), of PyPI, in thousands", tenths(peer.millions * 1000)))
    }
    if TestBroker.isInstalled {
        print("\nThe gateway's program with a real mosquitto: millions of advertisements per CPU-second; its start.\n")
        let long = Corpus(adverts: 300_000, reportsPerEvent: 1)
        var peer = 0.0
        for (name, qos, milliseconds) in [
            ("in C, at most a state per second, QoS 0", 0, 1000), ("in C, at most a state per second, QoS 1", 1, 1000),
            ("in C, a state per advertisement, QoS 1", 1, 0),
        ] {
            let runs = try (0..<2).map { _ in
                try GatewayRuns.bareAdvertsPerSecond(long, qos: qos, milliseconds: milliseconds)
            }
            peer = runs.map(\.rate).max()!
            print(row(name, hundredths(peer / 1e6), "\(runs[0].states)", "  states"))
        }
        let rate = try (0..<2).map { _ in try GatewayRuns.advertsPerSecond(long, programs: ".build/release") }.max()!
        // 0.6 M beside the 0.4 M of the last peer, less the tolerance.
        let goal = goals.least(1.5 * (1 - Goals.tolerance), rate / peer, of: "the gateway beside one in C")
        print(
            row(
                "forgetmenot-gateway", hundredths(rate / 1e6),
                "  beside the last in C: \(hundredths(rate / peer)), \(goal)"))
        let start = try GatewayRuns.start(programs: ".build/release")
        print(
            row(
                "start until it scans, ms of the processor", tenths(start.milliseconds),
                "  " + goals.time(11, "ms", start.milliseconds, of: "start of the gateway")))
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
    print(
        "\nMilliseconds on the loopback: an advertisement to the gateway's enter, its exit to the item's left. A message"
    )
    print(
        "to the broker and back at the same time shows what the machine's other work adds. Each figure with a goal is")
    print("the median of three rounds, because a single hiccup of the machine decides the p99 of one round.\n")
    print(row("", "p50", "p99", "p50", "p99", "loop p99", "events"))
    for commitWithin in ["0s", "1s"] {
        let rounds = try (0..<(commitWithin == "0s" ? 3 : 1)).map { _ in
            try Latency(commitWithin: commitWithin).measure(programs: ".build/release")
        }
        func median(_ list: KeyPath<Latency.Samples, [Double]>, _ share: Double) -> Double {
            rounds.map { $0[keyPath: list].quantile(share) }.sorted().quantile(0.5)
        }
        let loop = median(\.loops, 0.99)
        // On a quiet machine 5 ms; on a busy one each of the programs, messages and commits on the way may wait as long as the loop.
        let limit = max(5, 6 * loop)
        var goal = ""
        if commitWithin == "0s" {
            for (name, list) in [("enter", \Latency.Samples.enters), ("left", \.departures)] {
                goal += "  \(name) \(goals.most(limit, median(list, 0.99), of: "ms until \(name), p99", unit: " ms"))"
            }
        }
        print(
            row(
                "commit_within = \"\(commitWithin)\"", tenths(median(\.enters, 0.5)), tenths(median(\.enters, 0.99)),
                tenths(median(\.departures, 0.5)), tenths(median(\.departures, 0.99)), tenths(loop),
                String(rounds.reduce(0) { $0 + $1.departures.count }), goal))
        for samples in rounds where rounds.count > 1 {
            print(
                row(
                    "  one round", tenths(samples.enters.quantile(0.5)), tenths(samples.enters.quantile(0.99)),
                    tenths(samples.departures.quantile(0.5)), tenths(samples.departures.quantile(0.99)),
                    tenths(samples.loops.quantile(0.99)), String(samples.departures.count)))
        }
    }
}
if requested.isEmpty || requested.contains("history") {
    var responses = try HistoryResponseCost()
    print(
        "\nMilliseconds of the processor for a response to `history`; the event log has 64 MB, \(responses.events) events."
    )
    print("The longest turn: so long the aggregator does nothing else.\n")
    print(row("", "whole", "turn", "turns", "events", "goal"))
    for cost in responses.rows() {
        print(
            row(
                cost.name, tenths(cost.milliseconds), tenths(cost.longest), String(cost.turns),
                String(cost.events),
                "  " + goals.time(100, "ms", cost.milliseconds, of: "history of \(cost.name)") + "; turn "
                    + goals.time(10, "ms", cost.longest, of: "longest turn for the history of \(cost.name)")))
    }
}
if requested.isEmpty || requested.contains("history"), TestDatabase.isInstalled {
    let cost = try HistoryCost.measure()
    print("\nEvents a second into a copy of the history in PostgreSQL, and µs of the processor for each.\n")
    print(row("", "a second", "ours", "server", "goal"))
    print(
        row(
            "20,000 events of 1,000 items", String(Int(cost.rate)), tenths(cost.client), tenths(cost.server),
            "  "
                + goals.time(
                    100, "µs", cost.client + cost.server, of: "an event into PostgreSQL, here and in the server")))
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
    var bare = 0.0
    for (index, (name, microseconds)) in try BrokerCost().rows().enumerated() {
        // The first and the fourth are the peers of what follows.
        if index == 0 || index == 3 { bare = microseconds }
        let goal = index == 1 || index == 4 ? "  " + goals.times(3, microseconds, of: bare, name: name) : ""
        print(row(name, hundredths(microseconds), goal))
    }
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
