import Beacons
import Glibc
import Linux
import Messages
import TestBroker
import Testing

/// More items than a broker queues for one client, with real programs and a real mosquitto as Debian configures it.
@Suite("A large site's programs", .enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
struct LargeSiteTests {
    private static let count = 1500

    /// A file of items as `items export` writes it.
    private func importFile(in site: Site) throws -> String {
        let items = (0..<Self.count).map { number in
            NewItem(
                RegistryItem(
                    name: "Thing \(number)",
                    beacon: BeaconIdentity(uuid: Site.ghost.uuid, major: 500, minor: UInt16(number))))
        }
        let objects = items.map { String(decoding: Request.bytes(of: $0), as: UTF8.self) }
        return try site.folder.write("[\n" + objects.joined(separator: ",\n") + "\n]\n", to: "items.json")
    }

    private func manifest(_ observer: Observer) -> RegistryManifest? {
        observer.latest["forgetmenot/registry/manifest"].flatMap { try? RegistryManifest(parsing: Array($0.utf8)) }
    }

    private func boot(of observer: Observer) throws -> Boot {
        let text = try #require(observer.latest["forgetmenot/aggregator/info"])
        return try AggregatorInfo(parsing: Array(text.utf8)).stamp.boot
    }

    @Test func `1,500 items reach a gateway that connects, and an aggregator that lost its disk`() throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        let aggregator = try site.startAggregator()
        try observer.wait(forAllOf: ["forgetmenot/aggregator/info"])
        let imported = try site.ask("items", "import", try importFile(in: site))
        #expect(imported.status == 0 && imported.output.contains("1500 of 1500 items are added"), "\(imported)")
        try observer.wait(for: "the manifest") { manifest(observer)?.items.count == Self.count }

        let gateway = try site.startGateway("kitchen", room: "Kitchen")
        try observer.wait(for: "the gateway's revision") {
            guard let text = observer.latest["forgetmenot/gateways/kitchen/info"],
                let info = try? GatewayInfo(parsing: Array(text.utf8))
            else { return false }
            return info.revision == manifest(observer)?.revision
        }

        _ = try aggregator.ended(by: SIGTERM)
        let former = try boot(of: observer)
        let state = site.folder.path("aggregator")
        for name in try StateFolder(path: state).entries() { unlink("\(state)/\(name)") }
        let again = try site.startAggregator()
        try observer.wait(for: "the items of the aggregator that lost its disk") {
            guard let text = observer.latest["forgetmenot/aggregator/info"],
                let info = try? AggregatorInfo(parsing: Array(text.utf8))
            else { return false }
            return info.items == Self.count && info.stamp.boot != former
                && manifest(observer)?.revision == info.revision
        }
        #expect(manifest(observer)?.items.count == Self.count)
        for program in [again, gateway] {
            let ended = try program.ended(by: SIGTERM)
            #expect(ended.status == 0, "\(ended)")
        }
    }

    @Test func `commands show all of a site of 25,000 items, each time`() throws {
        var options = TestBroker.Options()
        options.lines = ["max_queued_messages 10000000"]
        let site = try Site(options)
        try site.aggregatorFile()
        let observer = try Observer(site.broker, filters: [])
        let stamp = Stamp(
            at: WallTime(milliseconds: 1_790_000_000_000), boot: try #require(Boot("17.kfqx")), uptime: .zero,
            isClockSynchronised: true)
        let count = 25_000
        for first in stride(from: 0, to: count, by: 250) {
            try observer.publish(
                (first..<first + 250).flatMap { number -> [(topic: String, text: String, retained: Bool)] in
                    let id = "thing-\(number)"
                    let beacon = BeaconIdentity(
                        uuid: Site.ghost.uuid, major: UInt16(number / 1000), minor: UInt16(number % 1000))
                    let item = RegistryItem(id: id, name: "Thing \(number)", beacon: beacon)
                    let location = ItemLocation(
                        item: id, name: item.name, presence: .home, room: "Hall", stamp: stamp)
                    return [(Topic.registryItem(id), item.bytes), (.itemLocation(item: id), location.bytes)].map {
                        ($0.name(under: .standard), String(decoding: $1, as: UTF8.self), true)
                    }
                })
        }
        for _ in 1...2 {
            for words in [["where"], ["items", "list"]] {
                let shown = try site.ask(words)
                #expect(shown.output.utf8.count { $0 == UInt8(ascii: "\n") } == count + 1, "\(words): \(shown.errors)")
                // Nobody has published that there is an aggregator.
                #expect(shown.status == 69 && shown.errors.contains("the aggregator is not running"), "\(shown.errors)")
            }
        }
    }

    @Test(arguments: [("subscriptions.json", "{"), ("offsets.toml", "x=[")])
    func `a file of the page that cannot be read is set aside, each time, and the aggregator starts and reports it`(
        name: String, rubbish: String
    ) throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        for suffix in ["unreadable", "unreadable-2"] {
            mkdir(site.folder.path("aggregator"), 0o700)
            _ = try site.folder.write(rubbish, to: "aggregator/\(name)")
            let aggregator = try site.startAggregator()
            try observer.wait(for: "the problem") {
                observer.latest["forgetmenot/aggregator/info"]?.contains("\(name).\(suffix): ") == true
            }
            let aside = try readFile(at: site.folder.path("aggregator/\(name).\(suffix)"))
            #expect(String(decoding: aside, as: UTF8.self) == rubbish)
            let end = try aggregator.ended(by: SIGTERM)
            #expect(end.status == 0 && end.errors.contains("\(name) cannot be read, and is set aside as"), "\(end)")
        }
        let aggregator = try site.startAggregator()
        try observer.wait(for: "the end of the problem") {
            observer.latest["forgetmenot/aggregator/info"]?.contains("set aside") == false
        }
        #expect(try aggregator.ended(by: SIGTERM).status == 0)
    }

    @Test(arguments: [("surveys.json", "is damaged"), ("site.log", "exists, but"), ("past.txt", "is damaged")])
    func `what a damaged file of the site holds is set aside, each time, and the aggregator starts and reports it`(
        name: String, reason: String
    ) throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        for suffix in ["unreadable", "unreadable-2"] {
            mkdir(site.folder.path("aggregator"), 0o700)
            unlink(site.folder.path("aggregator/site.json"))
            _ = try site.folder.write("{", to: "aggregator/\(name)")
            let aggregator = try site.startAggregator()
            try observer.wait(for: "the problem") {
                observer.latest["forgetmenot/aggregator/info"]?.contains("\(name).\(suffix)") == true
            }
            #expect(try readFile(at: site.folder.path("aggregator/\(name).\(suffix)")) == [UInt8(ascii: "{")])
            let end = try aggregator.ended(by: SIGTERM)
            #expect(end.status == 0 && end.errors.contains("\(name) \(reason)"), "\(end)")
        }
    }

    @Test func `a site file that cannot be read is set aside, each time under another name, and the items come back`()
        throws
    {
        let site = try Site()
        let observer = try Observer(site.broker)
        var aggregator = try site.startAggregator()
        try observer.wait(forAllOf: ["forgetmenot/aggregator/info"])
        #expect(try site.ask("items", "import", try importFile(in: site)).status == 0)
        for (round, rubbish) in ["{", "rubbish"].enumerated() {
            _ = try aggregator.ended(by: SIGTERM)
            _ = try site.folder.write(rubbish, to: "aggregator/site.json")
            aggregator = try site.startAggregator()
            try observer.wait(for: "the items") {
                guard let text = observer.latest["forgetmenot/aggregator/info"],
                    let info = try? AggregatorInfo(parsing: Array(text.utf8))
                else { return false }
                return Int(info.stamp.boot.epoch) == round + 2 && info.items == Self.count
                    && manifest(observer)?.revision == info.revision
            }
            let name = round == 0 ? "site.json.unreadable" : "site.json.unreadable-2"
            let aside = try readFile(at: site.folder.path("aggregator/\(name)"))
            #expect(String(decoding: aside, as: UTF8.self) == rubbish)
        }
    }
}
