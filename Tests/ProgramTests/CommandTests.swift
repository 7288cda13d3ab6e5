import Beacons
import Glibc
import Linux
import Messages
import Mosquitto
import Simulation
import TestBroker
import Testing

/// What people and their scripts ask.
@Suite(.enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
struct CommandTests {
    @Test func `where reports locations in words and by its exit status, with and without an aggregator`() throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        let aggregator = try site.startAggregator(["Violin": Site.violin, "电脑包": Site.cat, "Ghost": Site.ghost])
        let gateway = try site.startGateway("kitchen", room: "Kitchen")
        try observer.wait(forItem: "violin", "\"presence\":\"home\"")
        try observer.wait(forAllOf: ["forgetmenot/items/ghost/location"])

        let all = try site.ask("where")
        #expect(all.status == 0 && all.errors.isEmpty && all.outputLines.count == 4, "\(all)")
        for word in ["Violin", "电脑包", "Ghost"] { #expect(all.output.contains(word)) }
        for word in ["Violin", "violin"] {
            let home = try site.ask("where", word)
            #expect(home.status == 0 && home.errors.isEmpty && home.output.contains("Kitchen"), "\(home)")
        }
        // No gateway has received it, so its presence is unknown.
        let ghost = try site.ask("where", "Ghost")
        #expect(ghost.status == 69 && ghost.outputLines.count == 2 && ghost.errorLines.count == 1, "\(ghost)")
        for (word, meant) in [("nothing", nil), ("violn", "Violin"), ("电脑", "电脑包")] as [(String, String?)] {
            let nothing = try site.ask("where", word)
            #expect(nothing.status == 66 && nothing.output.isEmpty && nothing.errorLines.count == 1, "\(nothing)")
            let hint = meant.map { "did you mean \"\($0)\"?" } ?? "items list"
            #expect(nothing.errors.contains(hint), "\(nothing)")
        }
        try observer.wait(forItem: "violin", "\"gateway\":\"kitchen\"")
        for word in ["Violin", "violin"] {
            let shown = try site.ask("items", "show", word)
            #expect(shown.status == 0 && shown.errors.isEmpty, "\(shown)")
            for line in [
                "Item:          Violin (violin)", "Beacon:        \(Site.violin)", "Where:         Kitchen",
                "Received best: by Kitchen, ",
            ] {
                #expect(shown.outputLines.contains { $0.hasPrefix(line) }, "\(shown)")
            }
        }
        let shown = try site.ask("items", "show", "violin", "--json")
        #expect(
            shown.output.hasPrefix(#"{"item":{"v":1,"id":"violin","#) && shown.output.contains(#""location":{"#),
            "\(shown)")
        let unshown = try site.ask("items", "show", "violn")
        #expect(unshown.status == 66 && unshown.errors.contains("did you mean \"Violin\"?"), "\(unshown)")
        let kitchen = try site.ask("where", "--room", "kitchen")
        #expect(
            kitchen.status == 0 && kitchen.output.contains("Violin") && !kitchen.output.contains("Ghost"), "\(kitchen)")
        // Nobody has received it: that is no "no".
        for words in [["where", "Ghost"], ["where", "Ghost", "--room", "kitchen"]] {
            #expect(try site.ask(words).status == 69)
        }
        let misspelt = try site.ask("where", "--room", "Kichen")
        #expect(misspelt.status == 66 && misspelt.errors.contains("did you mean \"Kitchen\"?"), "\(misspelt)")
        for _ in 0..<2 {
            let unknown = try site.ask("where", "--room", "Ballroom")
            #expect(unknown.status == 66 && unknown.output.isEmpty && unknown.errorLines.count == 1, "\(unknown)")
            #expect(unknown.errors.contains("there is no room \"Ballroom\": the rooms are Kitchen"), "\(unknown)")
        }
        // A near name is named, whatever the name is of.
        for (words, meant) in [
            (["history", "violn"], "Violin"), (["acknowledge", "Violim"], "Violin"),
            (["items", "remove", "violi"], "Violin"),
            (["gateways", "remove", "kichen"], "kitchen"), (["gateways", "set", "kichen", "log=debug"], "kitchen"),
            (["survey", "Kichen", "--item", "violin"], "Kitchen"),
            (["survey", "Kitchen", "--item", "violn"], "Violin"),
            (["people", "add", "Dora", "--carries", "violn"], "Violin"),
        ] {
            let unknown = try site.ask(words)
            #expect(unknown.status == 66 && unknown.errorLines.count == 1, "\(unknown)")
            #expect(
                unknown.errors.lowercased().contains("did you mean \"\(meant.lowercased())\"?"), "\(words): \(unknown)")
        }
        #expect(try site.ask("people", "add", "Dora").status == 0)
        try observer.wait(forAllOf: ["forgetmenot/people/dora/location"])
        for (former, name) in [("Dora", "Theodora"), ("dora", "Dora")] {
            let renamed = try site.ask("people", "rename", former, name)
            #expect(renamed.status == 0 && renamed.output == "dora is renamed to \(name)\n", "\(renamed)")
        }
        for words in [
            ["people", "rename", "Dorra", "X"], ["people", "edit", "Dorra", "--name", "X"],
            ["people", "test", "Dorra"],
        ] {
            let unknown = try site.ask(words)
            #expect(unknown.status == 66 && unknown.errors.contains("did you mean \"Dora\"?"), "\(unknown)")
        }
        #expect(try site.ask("people", "remove", "Dora").status == 0)
        // The environment names the configuration, too, and an option goes before it.
        let file = site.folder.path("aggregator.toml")
        for (variable, words, status) in [(file, [], 0), ("/nowhere", [], 66), ("/nowhere", ["--config", file], 0)] {
            let end = try RunningProgram(
                ["env", "FORGETMENOT_CONFIG=\(variable)", Program.aggregator.path, "where"] + words
            ).ended()
            #expect(end.status == status, "\(end)")
        }
        // A name that nobody has gets 66, whatever is asked.
        for words in [
            ["acknowledge", "violn"], ["history", "violn"], ["items", "edit", "violn", "--no-notify-left"],
            ["items", "rename", "violn", "Fiddle"], ["items", "remove", "violn"], ["regions", "remove", "Home"],
            ["gateways", "remove", "attic"], ["survey", "Kitchen", "--item", "violn"],
            ["survey", "Attic", "--item", "violin"], ["survey", "remove", "Attic"],
        ] {
            let unknown = try site.ask(words)
            #expect(unknown.status == 66 && unknown.output.isEmpty && unknown.errorLines.count == 1, "\(unknown)")
        }
        #expect(try site.ask("acknowledge", "Violin").status == 1)

        let json = try site.ask("where", "--json")
        #expect(json.status == 0 && json.errors.isEmpty)
        #expect(try elements(json.output, ItemLocation.self).map(\.name) == ["Ghost", "Violin", "电脑包"])

        let gateways = try site.ask("gateways", "list", "--json")
        #expect(gateways.status == 0 && gateways.errors.isEmpty)
        let listed = try #require(JSONValue(parsing: Array(gateways.output.utf8)).array)
        try #require(listed.count == 1)
        for (key, word) in [
            ("gateway", "kitchen"), ("room", "Kitchen"), ("availability", "online"), ("radio", "powered_on"),
            ("source", "simulation"),
        ] {
            #expect(listed[0].object?[key]?.string == word)
        }

        // Readers of the items alone go on reading items alone.
        #expect(try site.ask("people", "add", "Anna", "--carries", "Violin").status == 0)
        try observer.wait(forAllOf: ["forgetmenot/people/anna/location"])
        #expect(try elements(try site.ask("where", "--json").output, ItemLocation.self).count == 3)
        let everybody = try site.ask("where", "--json", "--people")
        let described = try #require(try JSONValue(parsing: Array(everybody.output.utf8)).array, "\(everybody)")
        try #require(described.count == 4, "\(everybody)")
        #expect(described.dropLast().allSatisfy { $0.object?["item"] != nil && $0.object?["person"] == nil })
        #expect(try person(described[3]) == "Anna")
        for words in [["Violin"], ["--room", "Kitchen"]] {
            #expect(try !site.ask(["where", "--json", "--people"] + words).output.contains("\"person\""))
        }
        let living = try Program.aggregator.start(
            "watch", "--json", "--people", "--config", site.folder.path("aggregator.toml"))
        var lines: [JSONValue] = []
        while Set(lines.compactMap { $0.object?["item"]?.string }).count < 3 || !lines.contains(where: isPerson) {
            lines.append(try JSONValue(parsing: Array(living.line().utf8)))
        }
        #expect(try lines.filter(isPerson).allSatisfy { try person($0) == "Anna" })
        #expect(try living.ended(by: SIGINT).status == 0)

        let watch = try Program.aggregator.start("watch", "--json", "--config", site.folder.path("aggregator.toml"))
        for _ in 0..<3 { _ = try ItemLocation(parsing: Array(watch.line().utf8)) }
        let interrupted = try watch.ended(by: SIGINT)
        #expect(interrupted.status == 0 && interrupted.errors.isEmpty, "\(interrupted)")
        for line in interrupted.outputLines { _ = try ItemLocation(parsing: Array(line.utf8)) }

        #expect(try aggregator.ended(by: SIGTERM).status == 0)
        for words in [["where"], ["where", "Violin"], ["where", "--json"]] {
            let stale = try RunningProgram(
                [Program.aggregator.path] + words + ["--config", site.folder.path("aggregator.toml")]
            ).ended()
            #expect(stale.status == 69 && stale.errorLines.count == 1 && stale.output.contains("Violin"), "\(stale)")
        }
        let unanswered = try site.ask("items", "remove", "Ghost")
        #expect(unanswered.status == 69 && unanswered.errorLines.count == 1, "\(unanswered)")

        #expect(try gateway.ended(by: SIGTERM).status == 0)
        site.broker.kill()
        for words in [["where"], ["items", "list"], ["gateways", "list"], ["watch"]] {
            let dead = try RunningProgram(
                [Program.aggregator.path] + words + ["--config", site.folder.path("aggregator.toml")]
            ).ended()
            #expect(dead.status == 69 && dead.output.isEmpty && dead.errorLines.count == 1, "\(dead)")
        }
    }

    @Test func `an item added by command gets home, and once removed nothing of it is left`() throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        let aggregator = try site.startAggregator(["Violin": Site.violin])
        let gateways = [
            try site.startGateway("kitchen", room: "Kitchen"), try site.startGateway("hall", room: "Hall"),
        ]
        try observer.wait(forItem: "violin", "\"presence\":\"home\"")

        let uuid = "\(House.uuid)"
        let digits = uuid.filter { $0 != "-" }.uppercased()
        let added = try site.ask(
            "items", "add", "Cat", "--uuid", digits, "--major", "1", "--minor", "9", "--measured-power", "-70")
        #expect(added.status == 0 && added.errors.isEmpty && added.outputLines.count == 1, "\(added)")
        try observer.wait(forItem: "cat", "\"presence\":\"home\"")

        let double = try site.ask("items", "add", "Dog", "--uuid", uuid, "--major", "1", "--minor", "9")
        #expect(double.status == 1 && double.output.isEmpty && double.errorLines.count == 1, "\(double)")
        #expect(double.errors.contains("\"Cat\""))
        for (uuid, major) in [("none", "1"), (uuid, "65536"), (uuid, "-1")] {
            let wrong = try site.ask("items", "add", "Dog", "--uuid", uuid, "--major", major, "--minor", "9")
            #expect(wrong.status == 64 && wrong.output.isEmpty && wrong.errorLines.count == 1, "\(wrong)")
            #expect(wrong.errors.contains(uuid == "none" ? "\"none\"" : major), "\(wrong)")
        }
        for words in [["items", "add", "Dog", "--id", "a dog"], ["regions", "add", "Dogs", "--id", "a dog"]] {
            let wrong = try site.ask(words + ["--uuid", uuid, "--major", "1", "--minor", "9"])
            #expect(wrong.status == 64 && wrong.errorLines.count == 1 && wrong.errors.contains("a dog"), "\(wrong)")
        }
        let nameless = try site.ask("items", "rename", "Cat", " ")
        #expect(nameless.status == 64 && nameless.errorLines.count == 1, "\(nameless)")

        let list = try site.ask("items", "list", "--json")
        #expect(list.status == 0 && list.errors.isEmpty)
        let items = try elements(list.output, RegistryItem.self)
        #expect(items.map(\.id) == ["cat", "violin"] && items.map(\.beacon) == [Site.cat, Site.violin])
        #expect(items.map(\.measuredPower) == [MeasuredPower(dBm: -70), nil])

        let configured = try site.ask("items", "remove", "Violin")
        #expect(configured.status == 1 && configured.errorLines.count == 1, "\(configured)")
        #expect(configured.errors.contains("aggregator.toml:"))
        let removed = try site.ask("items", "remove", "Cat")
        #expect(removed.status == 0 && removed.errors.isEmpty, "\(removed)")
        try observer.wait(for: "an end of the cat") {
            (observer.topics(with: "/cat") + observer.topics(with: "\(Site.cat)")).allSatisfy { $0.hasSuffix("/event") }
        }
        let retained = try Observer(site.broker)
        #expect(retained.topics(with: "/cat").isEmpty && retained.topics(with: "\(Site.cat)").isEmpty)
        #expect(try site.ask("items", "remove", "Cat").status == 66)

        for program in [aggregator] + gateways {
            let end = try program.ended(by: SIGTERM)
            #expect(end.status == 0 && !end.hasCrashed, "\(end)")
        }
        for message in observer.seen {
            #expect(Contract.breach(topic: message.topic, payload: message.payload) == nil)
        }
    }

    @Test func `an added item is not lost, though aggregator and broker die right after the response`() throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        let aggregator = try site.startAggregator()
        try observer.wait(forAllOf: ["forgetmenot/aggregator/info"])
        for minor in 1...3 {
            let added = try site.ask(
                "items", "add", "Bag \(minor)", "--uuid", "\(House.uuid)", "--major", "7", "--minor", "\(minor)")
            #expect(added.status == 0, "\(added)")
        }
        _ = try aggregator.ended(by: SIGKILL)
        site.broker.kill()
        try site.broker.restart()

        let again = try site.startAggregator()
        let other = try Observer(site.broker)
        try other.wait(forAllOf: ["forgetmenot/registry/manifest"])
        let list = try site.ask("items", "list", "--json")
        #expect(try elements(list.output, RegistryItem.self).map(\.id) == ["bag-1", "bag-2", "bag-3"])
        #expect(try again.ended(by: SIGTERM).status == 0)
    }

    @Test func `a list that is empty has one line on standard error about what to do, and none as JSON`() throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        let aggregator = try site.startAggregator()
        try observer.wait(forAllOf: ["forgetmenot/aggregator/info", "forgetmenot/registry/manifest"])
        let hints = [
            "where": "items add", "items list": "items add", "people list": "people add",
            "gateways list": "forgetmenot-gateway setup", "regions list": "regions add", "events": "--since",
            "survey list": "survey make",
        ]
        for (words, hint) in hints {
            let words = words.split(separator: " ").map(String.init)
            for _ in 0..<2 {
                let empty = try site.ask(words)
                #expect(empty.status == 0 && empty.outputLines.count == (words == ["events"] ? 0 : 1), "\(empty)")
                #expect(empty.errorLines.count == 1 && empty.errors.contains(hint), "\(empty)")
                let json = try site.ask(words + ["--json"])
                #expect(json.status == 0 && json.output == "[]\n" && json.errors.isEmpty, "\(json)")
            }
        }
        // Here, the line follows the one that the history is off.
        let beacon = ["--uuid", "\(Site.cat.uuid)", "--major", "1", "--minor", "9"]
        #expect(try site.ask(["items", "add", "Violin"] + beacon).status == 0)
        for (options, hint) in [([], "when it moves"), (["--since", "1h"], "without \"--since\"")] {
            let empty = try site.ask(["history", "Violin"] + options)
            #expect(empty.status == 0 && empty.outputLines.count == 1 && empty.errorLines.count == 2, "\(empty)")
            #expect(empty.errorLines.last?.contains(hint) == true, "\(empty)")
            let json = try site.ask(["history", "Violin", "--json"] + options)
            #expect(json.status == 0 && json.output == "[]\n" && json.errorLines.count == 1, "\(json)")
        }
        #expect(try aggregator.ended(by: SIGTERM).status == 0)
    }

    @Test(.enabled(if: isProgramInstalled("script"), "skipped: no script(1) here"))
    func `on a terminal an item or a person is removed only after a yes`() throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        let aggregator = try site.startAggregator()
        try observer.wait(forAllOf: ["forgetmenot/aggregator/info"])
        func isThere() throws -> Bool { try site.ask("items", "export").output.contains("\"keys\"") }
        func onTerminal(_ typed: String, _ words: String, of kind: String = "items") throws -> Ended {
            let command =
                "\(Program.aggregator.path) \(kind) remove \(words) --config \(site.folder.path("aggregator.toml"))"
            return try RunningProgram(["sh", "-c", "printf '\(typed)\\n' | script -qec '\(command)' /dev/null"]).ended()
        }
        for _ in 0..<2 {
            let added = try site.ask("items", "add", "Keys", "--uuid", "\(House.uuid)", "--major", "7", "--minor", "9")
            #expect(added.status == 0, "\(added)")
            for typed in ["", "n", "nonsense"] {
                let refused = try onTerminal(typed, "Keys")
                #expect(refused.status == 1 && refused.output.contains("Remove Keys"), "\(refused)")
                #expect(try isThere())
            }
            // A name that nobody has is no question.
            let unknown = try onTerminal("y", "Kys")
            #expect(unknown.status == 66 && !unknown.output.contains("Remove"), "\(unknown)")
            let removed = try onTerminal("y", "Keys")
            #expect(removed.status == 0 && removed.output.contains("Keys is removed"), "\(removed)")
            #expect(try !isThere())
            #expect(try site.ask("people", "add", "Anna").status == 0)
            try observer.wait(forAllOf: ["forgetmenot/people/anna/location"])
            let refused = try onTerminal("n", "Anna", of: "people")
            #expect(refused.status == 1 && refused.output.contains("Remove Anna (anna)?"), "\(refused)")
            let stranger = try onTerminal("y", "Ann", of: "people")
            #expect(stranger.status == 66 && !stranger.output.contains("Remove"), "\(stranger)")
            for (typed, words) in [("y", "Anna"), ("", "anna --yes")] {
                let gone = try onTerminal(typed, words, of: "people")
                #expect(gone.status == 0 && gone.output.contains("Anna is removed"), "\(gone)")
                #expect(try site.ask("people", "add", "Anna").status == 0)
            }
            #expect(try site.ask("people", "remove", "Anna").status == 0)
        }
        _ = try site.ask("items", "add", "Keys", "--uuid", "\(House.uuid)", "--major", "7", "--minor", "9")
        let unasked = try onTerminal("", "Keys --yes")
        #expect(unasked.status == 0 && !unasked.output.contains("?"), "\(unasked)")
        #expect(try !isThere())
        #expect(try aggregator.ended(by: SIGTERM).status == 0)
    }

    @Test(.enabled(if: isProgramInstalled("script"), "skipped: no script(1) here"))
    func `on a terminal items, a region, a gateway, a survey and what was learned are removed only after a yes`() throws
    {
        let site = try Site()
        let observer = try Observer(site.broker)
        let aggregator = try site.startAggregator(["Violin": Site.violin])
        let info = "forgetmenot/gateways/kitchen/info"
        try observer.wait(forAllOf: ["forgetmenot/aggregator/info"])
        func onTerminal(_ typed: String, _ words: String) throws -> Ended {
            let command = "\(Program.aggregator.path) \(words) --config \(site.folder.path("aggregator.toml"))"
            return try RunningProgram(["sh", "-c", "printf '\(typed)\\n' | script -qec '\(command)' /dev/null"]).ended()
        }
        for _ in 0..<2 {
            #expect(
                try site.ask("regions", "add", "House", "--uuid", "\(House.uuid)", "--id", "house").status == 0)
            for (minor, name) in ["Cup", "Pen", "Pot"].enumerated() {
                let added = try site.ask(
                    "items", "add", name, "--uuid", "\(House.uuid)", "--major", "9", "--minor", "\(minor)")
                #expect(added.status == 0, "\(added)")
                try observer.wait(forAllOf: ["forgetmenot/items/\(name.lowercased())/location"])
            }
            let gateway = try site.startGateway("kitchen", room: "Kitchen")
            try observer.wait(forAllOf: [info])
            try observer.wait(forItem: "violin", "\"presence\":\"home\"")
            let survey = try site.ask("survey", "make", "Kitchen", "--item", "violin", "--for", "10s")
            #expect(survey.status == 0, "\(survey)")
            #expect(try gateway.ended(by: SIGTERM).status == 0)
            for (words, question, done) in [
                ("items remove Cup", "Remove Cup (cup)? Its notifications end.", "Cup is removed"),
                ("items remove pen Pot", "Remove Pen (pen), Pot (pot)? Their notifications end.", "Pot is removed"),
                ("regions remove House", "Remove House (house)?", "House is removed"),
                ("gateways remove kitchen", "Remove the gateway kitchen?", "kitchen is removed"),
                ("survey remove Kitchen", "Remove the survey of Kitchen?", "Removed; 0 surveys are left"),
                ("learning forget", "Forget all recorded RSSI values?", "values are deleted"),
            ] {
                for typed in ["", "n"] {
                    let refused = try onTerminal(typed, words)
                    #expect(refused.status == 1 && refused.output.contains(question), "\(refused)")
                    #expect(!refused.output.contains(done), "\(refused)")
                }
                let unasked = words == "regions remove House"
                let gone = try unasked ? onTerminal("", words + " --yes") : onTerminal("y", words)
                #expect(gone.status == 0 && gone.output.contains(done), "\(gone)")
                #expect(gone.output.contains(question) != unasked, "\(gone)")
            }
            // What nobody has is no question.
            for words in ["regions remove House", "gateways remove kitchen", "survey remove Kitchen"] {
                let unknown = try onTerminal("y", words)
                #expect(unknown.status != 0 && !unknown.output.contains("?"), "\(unknown)")
            }
        }
        #expect(try aggregator.ended(by: SIGTERM).status == 0)
    }

    @Test func `where shows what its options ask for, and its JSON has the battery and the floor of each item`() throws
    {
        let site = try Site()
        try site.aggregatorFile()
        let visitor = try Visitor(BrokerOptions(host: "localhost", port: Int(site.broker.port), clientID: "aggregator"))
        let stamp = Stamp(at: Clock.wall, boot: try #require(Boot("17.kfqx")), uptime: .zero)
        var info = AggregatorInfo(
            version: "1.0.0", stamp: stamp, items: 3, gatewaysAlive: 0, gatewaysGone: 0, revision: 1)
        info.floors = ["Ward": 3, "Store": 0]
        func publish(_ topic: String, _ payload: some Payload) throws {
            try visitor.publish("forgetmenot/" + topic, payload.bytes, retain: true, expirySeconds: 600)
        }
        try visitor.publish("forgetmenot/aggregator/availability", Array("online".utf8), retain: true)
        try publish("aggregator/info", info)
        try publish("registry/manifest", RegistryManifest(revision: 1, items: []))
        for (item, presence, room, battery) in [
            ("pump", Presence.home, "Ward", UInt8(9)), ("bed", .home, "Store", 90), ("chair", .away, nil, 9),
            ("lift", .unknown, "Ward", nil),
        ] as [(String, Presence, String?, UInt8?)] {
            let location = ItemLocation(item: item, name: item, presence: presence, room: room, stamp: stamp)
            try publish("items/\(item)/location", location)
            let readings = TagReadings(batteryPercent: battery)
            try publish("items/\(item)/health", ItemHealth(item: item, readings: readings, wasLow: false, stamp: stamp))
        }
        for _ in 1...2 {
            for (options, items) in [
                ("", ["bed", "chair", "lift", "pump"]), ("--floor 3", ["pump"]), ("--floor 0", ["bed"]),
                ("--floor -1", []),
                ("--low", ["chair", "pump"]), ("--low --away", ["chair"]), ("--home", ["bed", "pump"]),
                ("--home --floor 3 --low", ["pump"]), ("--room Ward --low", ["pump"]),
            ] {
                let end = try site.ask(["where", "--json"] + options.split(separator: " ").map(String.init))
                #expect(end.status == 0 && end.errors.isEmpty, "\(options): \(end)")
                let found = try #require(try JSONValue(parsing: Array(end.output.utf8)).array).compactMap(\.object)
                #expect(found.map { $0["item"]?.string } == items, "\(options): \(end)")
                for row in found where row["item"]?.string == "pump" {
                    #expect(row["floor"]?.integer == 3 && row["battery_percent"]?.integer == 9, "\(end)")
                    #expect(row["battery_low"]?.bool == true, "\(end)")
                }
                for row in found where row["item"]?.string == "chair" { #expect(row["floor"] == nil, "\(end)") }
            }
        }
    }

    @Test func `items are exported, and imported as they were; a wrong entry is reported with its line`() throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        let aggregator = try site.startAggregator()
        try observer.wait(forAllOf: ["forgetmenot/aggregator/info"])
        for (number, name) in ["电脑包", "Keys"].enumerated() {
            let added = try site.ask(
                "items", "add", name, "--uuid", "\(House.uuid)", "--major", "7", "--minor", "\(number)")
            #expect(added.status == 0, "\(added)")
        }
        let export = try site.ask("items", "export")
        #expect(export.status == 0 && export.errors.isEmpty, "\(export)")
        let file = try site.folder.write(export.output, to: "items.json")
        #expect(try site.ask("items", "import", file).output == "2 of 2 items exist already\n")
        #expect(try site.ask("items", "remove", "Keys").status == 0)
        #expect(try site.ask("items", "rename", "电脑包", "Laptop bag").status == 0)
        let again = try site.ask("items", "import", file)
        #expect(again.status == 1 && again.outputLines == ["1 of 2 items is added, 0 exist already"], "\(again)")
        // The renamed one has the id and the beacon still.
        #expect(again.errorLines.count == 1 && again.errors.contains("items.json:3: "), "\(again)")
        let list = try site.ask("items", "list", "--json")
        #expect(try elements(list.output, RegistryItem.self).map(\.name) == ["Keys", "Laptop bag"])
        // What was set since and the file leaves out is no other item, and one row twice is one item.
        let keys = "{\"name\":\"Keys\",\"uuid\":\"\(House.uuid)\",\"major\":7,\"minor\":1"
        let scooter = "{\"name\":\"Scooter\",\"uuid\":\"\(House.uuid)\",\"major\":7,\"minor\":8}"
        #expect(try site.ask("items", "edit", "Keys", "--measured-power", "-61", "--sleeps").status == 0)
        let rows = try site.folder.write("[\(keys)},\n\(scooter),\n\(scooter)]", to: "rows.json")
        for words in [
            "1 of 3 items is added, 1 exist already, 1 repeat a former one",
            "2 of 3 items exist already, 1 repeat a former one",
        ] {
            let end = try site.ask("items", "import", rows)
            #expect(end.status == 0 && end.output == words + "\n" && end.errors.isEmpty, "\(end)")
        }
        let other = try site.folder.write("[\(keys),\"measured_power_dbm\":-60}]", to: "other.json")
        for _ in 1...2 {
            let end = try site.ask("items", "import", other)
            #expect(
                end.status == 1
                    && end.errors
                        == "\(other):1: the item \"Keys\" exists with other settings (measured_power_dbm): an import changes no item\n",
                "\(end)")
        }
        // Several are removed at once, whatever is wrong with one of them.
        for found in [["Scooter is removed", "Keys is removed"], []] {
            let gone = try site.ask("items", "remove", "Ghost", "Scooter", "Keys")
            #expect(gone.status == 66 && gone.outputLines.map(String.init) == found, "\(gone)")
            #expect(gone.errorLines.count == 3 - found.count && gone.errors.contains("no item \"Ghost\""), "\(gone)")
        }
        // Written by hand, without ids.
        let text = "[{\"name\":\"Bag\",\"uuid\":\"\(House.uuid)\",\"major\":7,\"minor\":9,\"owners\":[\"ben\"]}]"
        let own = try site.folder.write(text, to: "own.json")
        for words in [
            "1 of 1 items is added, 0 exist already", "1 of 1 items exist already", "1 of 1 items exist already",
        ] {
            let end = try site.ask("items", "import", own)
            #expect(end.status == 0 && end.output == words + "\n" && end.errors.isEmpty, "\(end)")
        }

        let region = try site.ask(
            "regions", "add", "House", "--uuid", "\(House.uuid)", "--entry-text", "Welcome", "--no-notify-on-exit")
        #expect(region.status == 0 && region.errors.isEmpty, "\(region)")
        let regions = try site.ask("regions", "list", "--json")
        let listed = try elements(regions.output, Region.self)
        #expect(listed.map(\.identifier) == ["House"] && listed.map(\.entryText) == ["Welcome"])
        #expect(listed.map(\.notifyOnExit) == [false])
        let half = try site.ask("regions", "add", "Half", "--uuid", "\(House.uuid)", "--minor", "3")
        #expect(half.status == 64 && half.errorLines.count == 1, "\(half)")
        #expect(try site.ask("regions", "remove", "House").status == 0)
        #expect(try site.ask("regions", "remove", "House").status == 66)
        let alone = try site.ask("nearby")
        #expect(alone.status == 69 && alone.output.isEmpty && alone.errorLines.count == 1, "\(alone)")
        #expect(try aggregator.ended(by: SIGTERM).status == 0)
    }

    @Test func `survey reports that the aggregator was killed meanwhile, also if the room has an earlier survey`()
        throws
    {
        let site = try Site()
        let observer = try Observer(site.broker)
        var aggregator = try site.startAggregator(["Violin": Site.violin])
        let gateway = try site.startGateway("kitchen", room: "Kitchen")
        try observer.wait(forItem: "violin", "\"presence\":\"home\"")
        let words = ["survey", "Kitchen", "--item", "violin", "--for", "10s"]
        for round in 0..<2 {
            let survey = try begin(words, at: site)
            _ = try aggregator.ended(by: SIGKILL)
            aggregator = try site.startAggregator(["Violin": Site.violin])
            let end = try survey.ended()
            #expect(end.status == 1 && end.errorLines.count == 1, "\(end)")
            #expect(end.errors.contains("the aggregator was restarted meanwhile"), "\(end)")
            #expect(!end.output.contains("received for"), "\(end)")
            if round == 0 { _ = try begin(words, at: site).ended() }
        }
        for program in [gateway, aggregator] { #expect(try program.ended(by: SIGTERM).status == 0) }
    }

    /// A survey that has begun. An aggregator that has just started knows no item that is received.
    private func begin(_ words: [String], at site: Site) throws -> RunningProgram {
        let deadline = Clock.now + .seconds(60)
        while true {
            let survey = try RunningProgram(
                [Program.aggregator.path] + words + ["--config", site.folder.path("aggregator.toml")])
            if let line = try? survey.line(), line.hasPrefix("Carry the item") { return survey }
            guard Clock.now < deadline else { throw TestBrokerError("no survey begins") }
            poll(nil, 0, 100)
        }
    }

    private func boot(of observer: Observer) throws -> Stamp {
        let text = try #require(observer.latest["forgetmenot/aggregator/info"])
        return try AggregatorInfo(parsing: Array(text.utf8)).stamp
    }

    @Test(.enabled(if: isProgramInstalled("bash"), "skipped: no bash here"))
    func `a shell completes the ids of items, people and regions and the names of rooms, and nothing without a broker`()
        throws
    {
        let site = try Site()
        let observer = try Observer(site.broker)
        let aggregator = try site.startAggregator(["Violin": Site.violin, "Cat": Site.cat])
        try observer.wait(forAllOf: ["forgetmenot/items/cat/location"])
        #expect(try site.ask("people", "add", "Anna").status == 0)
        #expect(try site.ask("regions", "add", "Bags", "--uuid", "\(House.uuid)").status == 0)
        try observer.wait(forAllOf: ["forgetmenot/people/anna/location", "forgetmenot/registry/regions/bags"])
        // A shell would take the one for two words, and run what the other has.
        for (id, room) in [("a", "Küche"), ("b", "Living room"), ("c", "$(touch /tmp/x)")] {
            let info = GatewayInfo(
                gateway: id, room: room, version: "1", stamp: try boot(of: observer),
                radio: GatewayInfo.Radio(source: "test", state: .poweredOn), regions: 0)
            try observer.publish([
                ("forgetmenot/gateways/\(id)/info", String(decoding: info.bytes, as: UTF8.self), true)
            ])
        }
        func completed(_ words: String, by file: String) throws -> String {
            let script = """
                forgetmenot() { \(Program.aggregator.path) "$@"; }
                export FORGETMENOT_CONFIG=\(file); source <(forgetmenot --generate-completion-script bash)
                COMP_WORDS=(forgetmenot \(words) ""); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                COMP_LINE="forgetmenot \(words) "; COMP_POINT=${#COMP_LINE}
                _forgetmenot forgetmenot "" "${COMP_WORDS[COMP_CWORD - 1]}"
                echo "${COMPREPLY[@]}"
                """
            return try RunningProgram(["bash", "-c", script]).ended().output
        }
        let file = site.folder.path("aggregator.toml")
        for _ in 1...2 {
            for words in ["where", "items show", "history"] {
                #expect(try completed(words, by: file) == "cat violin\n", "\(words)")
            }
            for words in ["people edit", "items edit cat --owner"] {
                #expect(try completed(words, by: file) == "anna\n", "\(words)")
            }
            #expect(try completed("people add Ben --carries", by: file) == "cat violin\n")
            #expect(try completed("regions remove", by: file) == "bags\n")
            for words in [
                "where --room", "survey make", "survey remove", "gateways invite", "items edit cat --not-alone-in",
            ] {
                #expect(try completed(words, by: file) == "Küche\n", "\(words)")
            }
            #expect(try completed("where", by: "/nowhere") == "\n")
        }
        #expect(try aggregator.ended(by: SIGTERM).status == 0)
    }

    @Test func `a command changes an item's notification settings, and leaves those that it does not name`() throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        let aggregator = try site.startAggregator(["Violin": Site.violin])
        try observer.wait(forAllOf: ["forgetmenot/aggregator/info"])
        let added = try site.ask(
            "items", "add", "Bag", "--uuid", "\(House.uuid)", "--major", "7", "--minor", "1", "--notify-after", "2m",
            "--notify-from", "07:00", "--notify-to", "22:00", "--left-text", "The bag!")
        #expect(added.status == 0, "\(added)")
        let edited = try site.ask(
            "items", "edit", "Bag", "--notify-returned", "--notify-repeat", "0s", "--notify-always", "--left-text", "",
            "--returned-text", "Good.", "--measured-power", "-70", "--json")
        #expect(edited.status == 0 && edited.errors.isEmpty, "\(edited)")
        let item = try RegistryItem(parsing: Array(edited.output.utf8.dropLast()))
        #expect(item.measuredPower?.dBm == -70)
        let requested = Notify(left: true, returned: true, afterSeconds: 120, untilSeconds: 3600, returnedText: "Good.")
        #expect(item.notify == requested)
        let list = try site.ask("items", "list", "--json")
        #expect(try elements(list.output, RegistryItem.self).contains(item))
        let claimed = try site.ask("items", "edit", "bag", "--claimed-power", "--no-notify-left")
        #expect(claimed.status == 0 && claimed.output == "Bag is changed\n", "\(claimed)")

        #expect(try site.ask("people", "add", "Anna").status == 0)
        for _ in 0..<2 {
            let owned = try site.ask(
                "items", "edit", "Bag", "--owner", "Anna", "--needed", "always", "--not-alone-in", "Garden", "--json")
            #expect(owned.output.contains(#""needed":"always""#), "\(owned)")
            let seldom = try site.ask("items", "edit", "Bag", "--needed", "", "--json")
            #expect(seldom.output.contains(#""owners":["anna"]"#) && seldom.output.contains("Garden"), "\(seldom)")
            #expect(!seldom.output.contains("needed"), "\(seldom)")
        }

        for (words, status, reason) in [
            ([], 64, "no change is given"), (["--no-owner", "--needed", ""], 64, "--no-owner"),
            (["--needed", " "], 64, "--needed is"), (["--notify-after", "soon"], 64, "--notify-after"),
            (["--notify-from", "07:00"], 64, "--notify-to"),
            (["--notify-from", "25:00", "--notify-to", "07:00"], 64, "--notify-from is \"25:00\""),
            (["--notify-from", "07:00", "--notify-to", "07:00"], 64, "both \"07:00\""),
            (["--notify-from", "07:00", "--notify-to", "08:00", "--notify-always"], 64, "--notify-always"),
            (["--measured-power", "-70", "--claimed-power"], 64, "--claimed-power"),
            (["--measured-power", "7"], 64, "-100 to -10"),
        ] as [([String], Int32, String)] {
            let wrong = try site.ask(["items", "edit", "Bag"] + words)
            #expect(wrong.status == status && wrong.output.isEmpty && wrong.errorLines.count == 1, "\(wrong)")
            #expect(wrong.errors.contains(reason), "\(wrong)")
        }
        for (name, status, reason) in [("nothing", 66, "no item"), ("Violin", 1, "aggregator.toml:")] {
            let refused = try site.ask("items", "edit", name, "--no-notify-left")
            #expect(refused.status == status && refused.errorLines.count == 1, "\(refused)")
            #expect(refused.errors.contains(reason), "\(refused)")
        }
        #expect(try aggregator.ended(by: SIGTERM).status == 0)
    }

    @Test func `events are followed over the broker's end, each printed once, until interrupted`() throws {
        let tag = BeaconIdentity(uuid: House.uuid, major: 7, minor: 7)
        let site = try Site()
        let observer = try Observer(site.broker)
        let radios = try ["kitchen", "hall"].map { try SteeredRadio(in: site.folder, $0, tag: tag) }
        func receive(_ kitchen: Int8, _ hall: Int8) throws {
            try radios[0].receive(at: kitchen)
            try radios[1].receive(at: hall)
        }
        try receive(-40, -80)
        let aggregator = try site.startAggregator(["Bag": tag])
        var gateways: [RunningProgram] = []
        for (id, radio) in zip(["kitchen", "hall"], radios) {
            let file = try site.gatewayFile(id, room: id, radio: radio.lines)
            gateways.append(try Program.gateway.start("run", "--config", file))
        }
        try observer.wait(forItem: "bag", "\"room\":\"kitchen\"")
        try observer.wait(forItem: "bag", "\"gateway\":\"kitchen\",\"proximity\":\"immediate\"")

        let file = site.folder.path("aggregator.toml")
        let follower = try Program.aggregator.start("events", "--follow", "--json", "--config", file)
        var printed: [ItemEvent] = []
        func follow(to room: String) throws {
            while true {
                let event = try ItemEvent(parsing: Array(follower.line(within: .seconds(60)).utf8))
                printed.append(event)
                if case .moved(_, room) = event.change { return }
            }
        }
        try receive(-85, -45)
        try follow(to: "hall")
        site.broker.kill()
        try follower.complaint(of: "broker")
        try site.broker.restart()
        try receive(-40, -85)
        try follow(to: "kitchen")
        #expect(Set(printed.map(\.id)).count == printed.count)
        let end = try follower.ended(by: SIGINT)
        #expect(end.status == 0, "\(end)")
        let all = try site.ask("events", "--json")
        #expect(try elements(all.output, ItemEvent.self).starts(with: printed))
        for program in gateways + [aggregator] { #expect(try program.ended(by: SIGTERM).status == 0) }
        // The next process has all of it on disk alone.
        let again = try site.startAggregator(["Bag": tag])
        try observer.wait(for: "the next aggregator") {
            observer.latest["forgetmenot/aggregator/availability"] == "online"
        }
        #expect(try elements(site.ask("events", "--json").output, ItemEvent.self).starts(with: printed))
        #expect(try again.ended(by: SIGTERM).status == 0)
    }

    @Test func `a command that is interrupted before its response does not look successful`() throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        let command = try Program.aggregator.start(
            "items", "add", "Bag", "--uuid", "\(House.uuid)", "--major", "1", "--minor", "2", "--config",
            try site.aggregatorFile())
        try observer.wait(for: "its question") {
            observer.latest["forgetmenot/aggregator/request/items/add"] != nil
        }
        let end = try command.ended(by: SIGINT)
        #expect(end.status == -SIGINT && end.output.isEmpty, "\(end)")
    }

    /// The elements of what has to be one array.
    private func isPerson(_ value: JSONValue) -> Bool { value.object?["person"] != nil }

    /// The name of a person among items: an object whose only key is `person`.
    private func person(_ value: JSONValue) throws -> String {
        let object = try #require(value.object)
        #expect(object.members.count == 1)
        var fields = Fields(try #require(object["person"]?.object))
        return try PersonLocation(reading: &fields).person.name
    }

    private func elements<Element: Payload>(_ output: String, _: Element.Type) throws -> [Element] {
        try #require(try JSONValue(parsing: Array(output.utf8)).array, "\(output)").map { element in
            var fields = Fields(try #require(element.object))
            return try Element(reading: &fields)
        }
    }
}
