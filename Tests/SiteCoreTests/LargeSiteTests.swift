import Beacons
import Delivery
import Messages
import Settings
import Testing

@testable import SiteCore

/// A site at the registry's limit: what is written can be read, what is published is bounded by what changed.
@Suite("A large site")
struct LargeSiteTests {
    private static let limit = SiteRegistry.mostAnnounced
    /// The registry of such a site has parts.
    private static let many = 10_200
    private static let withoutDiscovery = "[home_assistant]\ndiscovery = false\n"
    /// A site whose registry has parts, with everything that it has published.
    private static let large: TestSite = {
        var site = TestSite(withoutDiscovery)
        try! importItems(many, into: &site)
        site.advance(to: site.now + 5)
        return site
    }()

    private static func beacon(_ number: Int) -> BeaconIdentity {
        BeaconIdentity(uuid: TestSite.bag.uuid, major: UInt16(number >> 8) + 100, minor: UInt16(number & 0xFF))
    }

    private static func requested(_ number: Int, text: String? = nil) -> NewItem {
        let notify = Notify(left: true, returned: true, leftText: text, returnedText: text)
        return NewItem(
            RegistryItem(name: "Thing \(number)", beacon: beacon(number), notify: text == nil ? nil : notify))
    }

    /// Imports so many items; all responses have to be successful.
    private static func importItems(_ count: Int, into site: inout TestSite, text: String? = nil) throws {
        let batch = text == nil ? 100 : 4
        for first in stride(from: 0, to: count, by: batch) {
            let items = (first..<min(first + batch, count)).map { requested($0, text: text) }
            let request = String(decoding: Request.bytes(of: ImportedItems(items: items)), as: UTF8.self)
            let text = site.ask("items/import", request)
            let response = try Response<ImportResponse>(parsing: Array(text.utf8))
            #expect(response.outcome == .done(ImportResponse(added: items.count, refused: [])))
        }
    }

    @Test func `items are imported with one manifest and one write to the disk per request`() throws {
        var site = TestSite("")
        site.forgetOutputs()
        try Self.importItems(1000, into: &site)
        #expect(site.published(on: .registryManifest).count == 10)
        let last = try #require(site.published(on: .registryManifest).last)
        #expect(try RegistryManifest(parsing: Array(last.utf8)) == site.pipeline.registry.manifest)
        #expect(site.outputs.count { if case .storeSiteNow = $0 { true } else { false } } == 10)
        #expect(site.pipeline.registry.items.count == 1000)
    }

    @Test func `many changes of a large registry publish few manifests, the last of which names everything`() throws {
        var site = TestSite("")
        try Self.importItems(2000, into: &site)
        site.advance(to: site.now + 5)
        site.forgetOutputs()
        for number in 2000..<2100 {
            _ = site.ask("items/add", String(decoding: Request.bytes(of: Self.requested(number)), as: UTF8.self))
        }
        #expect(site.published(on: .registryManifest).count <= 6)
        site.advance(to: site.now + 2)
        let last = try #require(site.published(on: .registryManifest).last)
        #expect(try RegistryManifest(parsing: Array(last.utf8)) == site.pipeline.registry.manifest)
        #expect(site.published(on: .registryManifest).count <= 8)
    }

    @Test func `an import names each item that it refuses, and adds the others`() throws {
        var site = TestSite()
        let items = [
            Self.requested(1), NewItem(RegistryItem(name: "Laptop bag", beacon: Self.beacon(2))), Self.requested(3),
            Self.requested(1),
        ]
        let text = site.ask(
            "items/import", String(decoding: Request.bytes(of: ImportedItems(items: items)), as: UTF8.self))
        guard case .done(let response) = try Response<ImportResponse>(parsing: Array(text.utf8)).outcome else {
            Issue.record("refused: \(text)")
            return
        }
        #expect(response.added == 2)
        #expect(response.refused.map(\.index) == [1, 3])
        #expect(response.refused.allSatisfy { !$0.error.isEmpty })
    }

    @Test func `a full site with the longest texts and 60 gateways is read back from its own file`() throws {
        var site = TestSite("")
        try Self.importItems(1000, into: &site, text: String(repeating: "ü", count: 2000))
        try #require(site.pipeline.registry.items.count == 1000)
        let now = site.moment.instant
        for id in site.pipeline.items.table.keys {
            for gateway in 0..<60 {
                site.pipeline.reports.items.table[id]?.presenceByGateway.inside(at: "gateway-\(gateway)", until: now)
            }
        }
        let bytes = site.pipeline.stored.bytes
        #expect(bytes.count > 8 << 20)
        let stored = try StoredSite(parsing: bytes)
        #expect(stored.items.count == 1000 && stored.states.count == 1000)
        #expect(stored.states.allSatisfy { $0.gateways.count == 60 })
    }

    /// The registry as the messages of a site hold it.
    private static func registry(in site: TestSite) throws -> (manifest: RegistryManifest, ids: [String]) {
        var retained: [Topic: [UInt8]] = [:]
        for case .publish(let message) in site.outputs { retained[message.topic] = message.payload }
        let manifest = try RegistryManifest(parsing: try #require(retained[.registryManifest]))
        var ids = manifest.items
        for (number, digest) in (manifest.parts ?? []).enumerated() {
            let payload = try #require(retained[.registryPart(number)])
            #expect(RegistryPart.digest(of: payload) == digest)
            ids += try RegistryPart(parsing: payload).items
        }
        return (manifest, ids.sorted())
    }

    @Test func `a registry of more than 10,000 items has a manifest in parts, and a change publishes one of them`()
        throws
    {
        var site = Self.large
        let all = try Self.registry(in: site)
        #expect(all.manifest.parts?.count == RegistryPart.count && all.manifest.items.isEmpty)
        #expect(all.ids == site.pipeline.registry.items.keys.sorted() && all.ids.count == Self.many)
        site.forgetOutputs()
        _ = site.ask("items/add", String(decoding: Request.bytes(of: Self.requested(Self.many)), as: UTF8.self))
        site.advance(to: site.now + 5)
        let parts = site.outputs.count { output in
            if case .publish(let message) = output, case .registryPart = message.topic { true } else { false }
        }
        #expect(parts == 1 && site.published(on: .registryManifest).count == 1)

        // Parts that come back late, or that somebody else writes over, are written again once.
        let part = RegistryPart.number(of: site.pipeline.registry.items.keys.sorted()[0])
        site.forgetOutputs()
        site.deliver(.registryPart(part), RegistryPart(items: [], regions: []).bytes)
        for _ in 0..<8 { site.advance(to: site.now + 1) }
        #expect(site.published(on: .registryPart(part)).count == 1)
    }

    @Test func `parts are deleted when the registry shrinks`() throws {
        var site = Self.large
        site.forgetOutputs()
        for id in site.pipeline.registry.items.keys.sorted().suffix(Self.many - RegistryManifest.longestList) {
            _ = site.ask("items/remove", String(decoding: Request.bytes(of: NameOrID(name: id)), as: UTF8.self))
        }
        site.advance(to: site.now + 5)
        let cleared = site.outputs.count { output in
            guard case .publish(let message) = output, case .registryPart = message.topic else { return false }
            return message.payload.isEmpty
        }
        #expect(cleared == RegistryPart.count)
        #expect(try Self.registry(in: site).ids.count == RegistryManifest.longestList)
    }

    @Test func `an aggregator that starts again publishes no part that the broker holds`() throws {
        let full = Self.large
        let stored = try StoredSite(parsing: full.pipeline.stored.bytes)
        var retained: [Topic: [UInt8]] = [:]
        for case .publish(let message) in full.outputs where message.retain {
            retained[message.topic] = message.payload
        }
        var site = TestSite(Self.withoutDiscovery, stored: stored, settling: false)
        for (topic, payload) in retained { site.deliver(topic, payload, retained: true) }
        site.forgetOutputs()
        for _ in 0..<8 { site.advance(to: site.now + 1) }
        let written = site.outputs.count { output in
            guard case .publish(let message) = output else { return false }
            switch message.topic {
            case .registryItem, .registryManifest, .registryPart: return true
            default: return false
            }
        }
        #expect(written == 0)
    }

    @Test func `an aggregator that lost its disk takes up a registry in parts`() throws {
        let full = Self.large
        var site = TestSite(Self.withoutDiscovery, settling: false)
        for case .publish(let message) in full.outputs where message.retain {
            // One part does not come, and is requested.
            if message.topic != .registryPart(3) { site.deliver(message.topic, message.payload, retained: true) }
        }
        for _ in 0..<20 {
            let known = site.outputs.count
            site.advance(to: site.now + 1)
            for case .perform(.fetch(.subscribe(let topics))) in site.outputs[known...] {
                #expect(topics == [.registryPart(3)])
                site.deliver(.registryPart(3), full.pipeline.registry.part(3).bytes, retained: true)
            }
        }
        #expect(site.pipeline.registry.items.count == Self.many)
    }

    @Test func `a registry takes as many items as Home Assistant can announce, and refuses the next in a sentence`()
        throws
    {
        var site = TestSite("")
        try Self.importItems(Self.limit, into: &site)
        let one = String(decoding: Request.bytes(of: Self.requested(Self.limit)), as: UTF8.self)
        #expect(site.ask("items/add", one).contains("no more fit"))
        site.advance(to: site.now + 2)
        let manifest = try #require(site.published(on: .registryManifest).last)
        #expect(try RegistryManifest(parsing: Array(manifest.utf8)).items.count == Self.limit)
        #expect(try StoredSite(parsing: site.pipeline.stored.bytes).items.count == Self.limit)
    }

    @Test func `check refuses a configuration with more items and regions than a registry holds`() {
        func problems(_ count: Int) -> [String] {
            var text = "[[region]]\nidentifier = \"Bags\"\nuuid = \"\(TestSite.bag.uuid)\"\n"
            for number in 0..<count {
                text += "[[item]]\nname = \"Thing \(number)\"\nuuid = \"\(TestSite.bag.uuid)\"\n"
                text += "major = \(Self.beacon(number).major)\nminor = \(Self.beacon(number).minor)\n"
            }
            return readSettings(Array(text.utf8), file: "test.toml") { AggregatorConfiguration($0) }.problems.map {
                "\($0)"
            }
        }
        #expect(problems(Self.limit - 1).isEmpty)
        let refusal = problems(Self.limit)
        #expect(refusal.count == 1 && refusal[0].contains("at most \(Self.limit)"), "\(refusal)")
        #expect(refusal[0].contains("discovery = true"))
    }

    @Test func `an aggregator that lost its disk asks for the entries that the broker did not deliver`() throws {
        var full = TestSite("")
        try Self.importItems(1000, into: &full)
        var site = TestSite("", settling: false)
        let entries = full.pipeline.registry.items
        site.deliver(.registryManifest, full.pipeline.registry.manifest.bytes, retained: true)
        for (id, item) in entries.sorted(by: { $0.key < $1.key }).prefix(900) {
            site.deliver(.registryItem(id), item.bytes, retained: true)
        }
        for _ in 0..<60 {
            let known = site.outputs.count
            site.advance(to: site.now + 1)
            for case .perform(.fetch(.subscribe(let topics))) in site.outputs[known...] {
                for case .registryItem(let id) in topics {
                    site.deliver(.registryItem(id), entries[id]!.bytes, retained: true)
                }
            }
        }
        #expect(site.pipeline.registry.items.count == 1000)
        #expect(site.published(on: .registryManifest).count == 1)
    }

    @Test(arguments: [5, 40])
    func `discovery publishes a few messages for each item, gateway and reception, however many there are`(
        gateways: Int
    ) throws {
        var site = TestSite("")
        try Self.importItems(200, into: &site)
        var changes = 200 + gateways
        site.forgetOutputs()
        for gateway in 0..<gateways {
            site.gateway("gateway-\(gateway)", room: "Room \(gateway)")
            for number in 0..<5 {
                let state = RangedState(
                    gateway: "gateway-\(gateway)", proximity: .near, accuracy: 1.5, rssi: -60, sightings: 1,
                    addresses: 1, stamp: site.stamp(at: site.now), validFor: 25)
                let beacon = Self.beacon((gateway * 5 + number) % 200)
                site.deliver(.proximity(beacon, gateway: "gateway-\(gateway)"), state.bytes)
                changes += 1
            }
            site.advance(to: site.now + 1)
        }
        site.advance(to: site.now + 100)
        let messages = site.messagesElsewhere
        #expect(messages.count <= changes, "\(messages.count) messages for \(changes) changes")
        #expect(messages.reduce(0) { $0 + $1.payload.count } <= 13_000 * changes)
        site.forgetOutputs()
        for message in messages {
            site.deliverElsewhere(message.topic, String(decoding: message.payload, as: UTF8.self))
        }
        site.gateway("attic", room: "Attic")
        site.advance(to: site.now + 20)
        #expect(site.messagesElsewhere.count == 1, "a new gateway changes no item")
    }

    /// Messages about nothing new: each state of every item comes ten times, every message of our own comes back, late and twice.
    @Test(arguments: [10, 1000])
    func `the number of published messages is bounded by the changes, whatever comes in`(count: Int) throws {
        var site = TestSite("")
        try Self.importItems(count, into: &site)
        site.gateway("kitchen", room: "Kitchen")
        site.advance(to: site.now + 5)
        let echoes = site.outputs.compactMap { if case .publish(let message) = $0 { message } else { nil } }
        site.forgetOutputs()
        for _ in 0..<10 {
            for number in 0..<count {
                let state = RangedState(
                    gateway: "kitchen", proximity: .near, accuracy: 1.5, rssi: -60, sightings: 1, addresses: 1,
                    stamp: site.stamp(at: site.now), validFor: 25)
                site.deliver(.proximity(Self.beacon(number), gateway: "kitchen"), state.bytes)
            }
            for message in echoes.suffix(500) { site.deliver(message.topic, message.payload) }
            site.heartbeat("kitchen", room: "Kitchen", revision: 1 << 40)
            site.advance(to: site.now + 1)
        }
        for message in echoes.suffix(500) { site.deliver(message.topic, message.payload) }
        site.advance(to: site.now + 5)
        let published = site.outputs.count { if case .publish = $0 { true } else { false } }
        // Each item comes home once and becomes surer once or twice; the aggregator publishes its info now and then.
        #expect(published <= 5 * count + 20, "\(published) messages for \(count) items")
    }

    /// The filter's steps for each item.
    private static func steps(in site: TestSite) -> [String: UInt32] {
        site.pipeline.items.table.values.reduce(into: [:]) { $0[$1.item.id] = $1.locator?.steps }
    }

    /// The number of items whose beliefs move on while `body` runs.
    private static func moved(in site: inout TestSite, _ body: (inout TestSite) -> Void) -> Int {
        let before = steps(in: site)
        body(&site)
        return steps(in: site).count { before[$0.key] != $0.value }
    }

    /// Lets a second pass, with as many rounds as the site wants; returns how many items' beliefs each round moves on.
    private static func passSecond(in site: inout TestSite) -> [Int] {
        var rounds = [moved(in: &site) { $0.advance(to: $0.now + 1) }]
        while site.pipeline.nextDeadline <= site.moment.instant, rounds.count < 100 {
            rounds.append(
                moved(in: &site) { site in
                    site.pipeline.advance(to: site.moment)
                    site.collect()
                })
        }
        return rounds
    }

    /// A site of so many items and gateways, of which each item is received by one.
    private static func received(items: Int, gateways: Int) throws -> TestSite {
        var site = TestSite(withoutDiscovery)
        try importItems(items, into: &site)
        for number in 0..<gateways { site.gateway("g\(number)", room: "Room \(number)") }
        site.advance(to: site.now + 2)
        for number in 0..<items {
            let state = RangedState(
                gateway: "g\(number % gateways)", proximity: .near, accuracy: 1.5, rssi: -60, sightings: 9,
                addresses: 1,
                stamp: site.stamp(at: site.now), validFor: 3600)
            site.deliver(.proximity(beacon(number), gateway: state.gateway), state.bytes)
        }
        for _ in 0..<5 { _ = passSecond(in: &site) }
        return site
    }

    @Test func `a round looks at no more items than it may, and the rounds of a second at all that are due`() throws {
        let (items, gateways) = (1200, 100)
        let most = ItemLocations.mostWeighed / gateways
        var site = try Self.received(items: items, gateways: gateways)
        for round in 0..<2 {
            site.pipeline.reports.items.lookAtAll(at: site.moment.instant)
            let looks = site.pipeline.items.counts.looks
            let rounds = Self.passSecond(in: &site)
            #expect(rounds.allSatisfy { $0 <= most }, "\(rounds) in round \(round)")
            #expect(site.pipeline.items.counts.looks - looks == items)
            #expect(site.pipeline.nextDeadline > site.moment.instant)
        }
    }

    @Test func `a message has its response while items of a large site wait for their look`() throws {
        var site = try Self.received(items: 1200, gateways: 100)
        for _ in 0..<2 {
            site.pipeline.reports.items.lookAtAll(at: site.moment.instant)
            site.advance(to: site.now + 1)
            #expect(site.pipeline.nextDeadline <= site.moment.instant)
            #expect(site.ask("items/edit", "{\"name\": \"Thing 1\", \"sleeps\": true}").contains("\"ok\":true"))
            // Nothing is looked at while the broker is away, and nobody waits for it.
            site.pipeline.disconnected(at: site.moment)
            #expect(site.pipeline.nextDeadline > site.moment.instant)
            site.reconnect(after: 1)
            for _ in 0..<5 { _ = Self.passSecond(in: &site) }
        }
    }

    @Test func `a connection to the broker moves on no more beliefs of a large site at once than a round may`() throws {
        let (items, gateways) = (1200, 100)
        let most = ItemLocations.mostWeighed / gateways
        var site = try Self.received(items: items, gateways: gateways)
        for round in 0..<2 {
            site.forgetOutputs()
            let connecting = Self.moved(in: &site) { $0.reconnect(after: 20) }
            #expect(connecting <= most, "round \(round)")
            for number in 0..<gateways { site.heartbeat("g\(number)", room: "Room \(number)") }
            var rounds: [Int] = []
            for _ in 0..<6 { rounds += Self.passSecond(in: &site) }
            #expect(rounds.allSatisfy { $0 <= most }, "\(rounds) in round \(round)")
            let published = (0..<items).filter { site.location(of: "thing-\($0)") != nil }
            #expect(published.count == items)
        }
    }
}
