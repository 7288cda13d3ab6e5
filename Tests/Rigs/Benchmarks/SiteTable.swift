import Glibc

/// What sites of different sizes cost the aggregator, each figure beside its goal.
enum SiteTable {
    /// - Parameter largest: the most items of a site.
    static func print(_ goals: inout Goals, largest: Int) {
        let sizes = [100, 1000, 10_000, 100_000].filter { $0 <= largest }
        head(
            "Microseconds of the aggregator for a ranged state, decoded: three of 12 gateways receive each item, each second."
        )
        line("", "µs", "ratio", "out/in", "goal")
        // The growth counts from 1,000 items on: a hundred fit into the processor's cache.
        var smallest: SiteLoad.Cost?
        for items in sizes {
            let cost = SiteLoad.cost(items: items)
            if items == 1000 { smallest = cost }
            let ratio = smallest.map { cost.microseconds / $0.microseconds }
            line(
                "\(items) items", tenths(cost.microseconds), ratio.map(hundredths) ?? "-", tenths(cost.published),
                "  " + goals.time(8, "µs", cost.microseconds, of: "a ranged state, \(items) items")
                    + (ratio.map { "; ratio " + goals.most(1.3, $0, of: "growth of the cost to \(items) items") } ?? "")
            )
        }
        for gateways in [50, 200] {
            let cost = SiteLoad.cost(items: 1000, gateways: gateways)
            let ratio = cost.microseconds / (smallest?.microseconds ?? 1)
            line(
                "1000 items, \(gateways) gateways", tenths(cost.microseconds), hundredths(ratio),
                tenths(cost.published), "")
        }

        head("Still items: each of three gateways publishes a state each 10 s. Percent of a core, and µs for a state.")
        line("", "%", "µs", "out/in", "goal")
        for items in [5000, 50_000] where items <= largest {
            var still = SiteLoad(items: items)
            _ = still.run(period: 10, seconds: 20, noise: 2)
            let cost = still.run(period: 10, seconds: 30, noise: 2)
            line(
                "\(items) items, \(items * 3 / 10) states/s", tenths(cost.percent), tenths(cost.microseconds),
                tenths(cost.published),
                items == 5000 ? "  " + goals.time(10, "%", cost.percent, of: "a core with 5000 still items") : "")
        }

        head(
            "Items at rest: each of three gateways publishes a state each minute. µs for a state, time that passes included."
        )
        line("", "µs", "ratio", "out/in", "goal")
        // Rooms are learned from half of a thousand items, which are looked at more often: the growth counts from 10,000 on.
        var few: Double?
        for items in sizes.dropFirst() {
            var resting = SiteLoad(items: items)
            _ = resting.run(period: 60, seconds: 120, noise: 0)
            let cost = resting.run(period: 60, seconds: 60, noise: 0)
            if items == 10_000 { few = cost.microseconds }
            let ratio = few.map { cost.microseconds / $0 }
            line(
                "\(items) items", tenths(cost.microseconds), ratio.map(hundredths) ?? "-", tenths(cost.published),
                ratio.map { "  ratio " + goals.most(1.3, $0, of: "growth of the cost of rest to \(items) items") } ?? ""
            )
        }

        head("Import by command, and a start with the former process's files and messages: seconds of the processor.")
        line("", "import", "MB", "start", "goal")
        for items in sizes.dropFirst() {
            let imported = SiteLoad.importCost(items: items)
            let megabytes = Double(imported.bytes) / 1e6
            let restart = SiteLoad.restartCost(items: items)
            let goal =
                switch items {
                case 1000:
                    "  import " + goals.time(2, "s", imported.seconds, of: "import of 1000 items") + ", "
                        + goals.most(2, megabytes, of: "import of 1000 items, MB written", unit: " MB")
                case 10_000: "  start " + goals.time(10, "s", restart, of: "start with 10,000 items")
                default: ""
                }
            line("\(items) items", hundredths(imported.seconds), tenths(megabytes), hundredths(restart), goal)
        }

        head("Bytes of memory for each item and gateway, and for each item.")
        line("", "bytes", "item", "goal")
        for (items, gateways) in [(1000, 1), (1000, 3), (1000, 12), (1000, 50), (10_000, 12), (1000, 200)] {
            let bytes = SiteLoad.memory(items: items, gateways: gateways) { $0 }
            let name = "bytes for an item and each of \(gateways) gateways"
            // With a few gateways, nearly all is the item itself: 400 for each gateway are not reached, and the item is bounded.
            let goal =
                gateways < 12
                ? "item \(goals.most(3400, bytes * Double(gateways), of: "bytes of an item, \(gateways) gateways")); 400 not reached"
                : goals.most(400, bytes, of: name)
            line(
                "\(items) items, \(gateways) gateways", tenths(bytes), String(Int(bytes * Double(gateways))),
                "  " + goal)
        }

        head(
            "A million advertisements of beacons that a gateway does not monitor: µs for each, MB of memory, messages.")
        line("", "µs", "MB", "messages", "goal")
        let flood = GatewayFlood.run(1_000_000)
        line(
            "each with its own identity", tenths(flood.microseconds), tenths(Double(flood.growth) / 1e6),
            "\(flood.messages)",
            "  "
                + goals.most(
                    4, Double(flood.growth) / 1e6, of: "memory after a million identities at a gateway", unit: " MB"))

        head(
            "A million ranged states of beacons that are no items: µs for each, MB of memory, and a state of an item after it."
        )
        line("", "µs", "MB", "µs/state")
        for isRetained in [false, true] {
            let flood = SiteLoad.flood(1_000_000, isRetained: isRetained)
            line(
                isRetained ? "retained" : "live", tenths(flood.microseconds), tenths(Double(flood.growth) / 1e6),
                tenths(flood.state.microseconds),
                "  "
                    + goals.most(
                        16, Double(flood.growth) / 1e6, of: "memory after a million beacons that are no items",
                        unit: " MB"))
        }
    }

    private static func head(_ text: String) { Swift.print("\n\(text)\n") }

    private static func line(_ name: String, _ columns: String...) {
        let padded = name + String(repeating: " ", count: max(0, 44 - name.count))
        // A long table is read while it is measured, also from a file.
        defer { fflush(nil) }
        Swift.print(columns.reduce(padded) { $0 + String(repeating: " ", count: max(1, 9 - $1.count)) + $1 })
    }
}
