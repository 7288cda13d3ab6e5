import Beacons
import Messages
import Settings
import Testing

@testable import SiteCore

@Suite("Items by command")
struct ItemRegistryTests {
    private let keys =
        #"{"name":"Keys","uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0","major":7,"minor":8,"transaction":1}"#

    @Test func `an added item is published to the gateways entry first and manifest last, and is unknown at first`()
        throws
    {
        var site = TestSite()
        let response = site.ask("items/add", keys)
        #expect(
            response.contains(#""ok":true"#) && response.contains(#""id":"keys""#)
                && response.contains(#""transaction":1"#))
        let manifest = try #require(site.published(on: .registryManifest).last)
        #expect(manifest.contains(#""revision":2,"items":["keys","laptop-bag"]"#))
        let order = site.outputs.compactMap { if case .publish(let message) = $0 { message.topic } else { nil } }
        #expect(order.firstIndex(of: .registryItem("keys"))! < order.lastIndex(of: .registryManifest)!)
        #expect(site.location(of: "keys")?.presence == .unknown)
    }

    @Test(arguments: [
        (#"{"name":" ","uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0","major":7,"minor":8}"#, "The name is empty"),
        (#"{"name":"Bag","uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0","major":1,"minor":2}"#, "one beacon, one item"),
        (#"{"name":"Laptop bag","uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0","major":9,"minor":9}"#, "another name"),
        (#"{"name":"Bag","uuid":"nonsense","major":1,"minor":2}"#, "uuid"),
        (#"{"name":"Bag","uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0","major":70000,"minor":2}"#, "major"),
        (
            #"{"name":"Bag","id":"No Good","uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0","major":9,"minor":2}"#,
            "is no id"
        ),
        ("rubbish", "name"),
    ])
    func `an impossible item is refused in one sentence`(request: String, reason: String) {
        var site = TestSite()
        let response = site.ask("items/add", request)
        #expect(response.contains(#""ok":false"#))
        #expect(response.contains(reason), "\(response)")
        #expect(site.pipeline.registry.revision == 1)
    }

    @Test func `an item that is removed leaves nothing behind`() {
        var site = TestSite()
        _ = site.ask("items/add", keys)
        let response = site.ask("items/remove", #"{"name":"Keys"}"#)
        #expect(response.contains(#""ok":true"#))
        for topic in [
            Topic.registryItem("keys"), .itemLocation(item: "keys"), .itemNotification(item: "keys"),
            .itemAliases(item: "keys"),
        ] {
            #expect(site.published(on: topic).last == "")
        }
        #expect(site.published(on: .registryManifest).last?.contains(#""items":["laptop-bag"]"#) == true)
        site.advance(to: site.now + 3)
        #expect(site.published(on: .itemLocation(item: "keys")).last == "")
        #expect(site.story.isEmpty)
    }

    @Test func `a configured item is not removed by command: file and line are named`() {
        var site = TestSite()
        let response = site.ask("items/remove", #"{"name":"laptop-bag"}"#)
        #expect(response.contains(#""ok":false"#) && response.contains("test.toml:1"))
    }

    @Test func `an added item survives a restart, and one that was removed from the configuration is gone`() {
        var site = TestSite()
        _ = site.ask("items/add", keys)
        let again = TestSite("", stored: site.pipeline.stored)
        #expect(again.pipeline.registry.items.keys.sorted() == ["keys"])
        #expect(again.pipeline.registry.revision == 3)
    }

    @Test func `a broker that lost its memory gets the registry again`() {
        var site = TestSite()
        _ = site.ask("items/add", keys)
        let before = site.published(on: .registryManifest).count
        site.pipeline.disconnected(at: TestSite.moment(site.now))
        site.pipeline.connected(at: TestSite.moment(site.now))
        site.advance(to: site.now + 5)
        #expect(site.published(on: .registryManifest).count == before + 1)
        #expect(site.published(on: .registryItem("keys")).count == 2)
    }

    @Test func `an aggregator repeats that it is online after a reconnect, as the will before may come late`() {
        var site = TestSite()
        site.advance(to: site.now + 30)
        let before = site.published(on: .aggregatorAvailability).count
        site.reconnect(after: 2)
        site.advance(to: site.now + 4)
        #expect(site.published(on: .aggregatorAvailability).count == before + 1)
        site.advance(to: site.now + 30)
        #expect(site.published(on: .aggregatorAvailability).dropFirst(before) == ["online", "online", "online"])
    }

    @Test func `a broker that holds the registry gets nothing of it again`() {
        var site = TestSite()
        _ = site.ask("items/add", keys)
        let held = site.outputs.compactMap { output -> Message? in
            guard case .publish(let message) = output else { return nil }
            switch message.topic {
            case .registryItem, .registryManifest: return message
            default: return nil
            }
        }
        site.pipeline.disconnected(at: TestSite.moment(site.now))
        site.pipeline.connected(at: TestSite.moment(site.now))
        site.forgetOutputs()
        for message in held { site.deliver(message.topic, message.payload, retained: true) }
        site.advance(to: site.now + 5)
        #expect(site.published(on: .registryManifest).isEmpty)
        #expect(site.published(on: .registryItem("keys")).isEmpty)
    }

    private let keysItem = RegistryItem(
        id: "keys", name: "Keys",
        beacon: BeaconIdentity(uuid: BeaconUUID("e2c56db5-dffb-48d2-b060-d0f5a71096e0")!, major: 7, minor: 8))

    /// The broker as an aggregator left it that had two items at revision 42, one of them added by command.
    private var brokersRegistry: [Message] {
        [
            Message(.registryItem("keys"), keysItem),
            Message(.registryManifest, RegistryManifest(revision: 42, items: ["keys", "laptop-bag"], regions: [])),
        ]
    }

    @Test(arguments: [false, true])
    func `an aggregator whose disk was lost takes up again what the broker has of the registry`(isManifestFirst: Bool)
        throws
    {
        let retained = isManifestFirst ? brokersRegistry.reversed() : brokersRegistry
        var site = TestSite(retained: retained)
        #expect(site.pipeline.registry.items.keys.sorted() == ["keys", "laptop-bag"])
        #expect(!site.published(on: .registryItem("keys")).contains(""))
        let manifest = try #require(site.published(on: .registryManifest).last)
        #expect(manifest.contains(#""revision":43,"items":["keys","laptop-bag"]"#))
        #expect(site.published(on: .registryManifest).count == 1, "ours was not published over the only copy")
        #expect(site.location(of: "keys")?.presence == .unknown)
        #expect(site.ask("items/remove", #"{"name":"Keys"}"#).contains(#""ok":true"#))
    }

    @Test func `the broker's newer registry is adopted though a gateway reports it first`() {
        var site = TestSite(retained: [])
        site.pipeline.disconnected(at: TestSite.moment(site.now))
        site.pipeline.connected(at: TestSite.moment(site.now))
        site.gateway("kitchen", room: "Kitchen")
        site.heartbeat("kitchen", room: "Kitchen", revision: 42)
        for message in brokersRegistry { site.deliver(message.topic, message.payload, retained: true) }
        site.advance(to: site.now + 5)
        #expect(site.pipeline.registry.items.keys.sorted() == ["keys", "laptop-bag"])
        #expect(site.pipeline.registry.revision == 43)
    }

    @Test func `an entry that an older registry of the broker's has beyond ours is cleared`() {
        var site = TestSite()
        _ = site.ask("items/add", keys)
        _ = site.ask("items/remove", #"{"name":"Keys"}"#)
        let again = TestSite(
            stored: site.pipeline.stored,
            retained: [
                Message(.registryItem("keys"), keysItem),
                Message(.registryManifest, RegistryManifest(revision: 2, items: ["keys", "laptop-bag"], regions: [])),
            ])
        #expect(again.pipeline.registry.items.keys.sorted() == ["laptop-bag"])
        #expect(again.published(on: .registryItem("keys")) == [""])
    }

    @Test func `a gateway's word about the registry moves nothing`() {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        let before = site.outputs.count
        for revision in [42, 43, 1 << 52, (1 << 53) - 1] as [UInt64] {
            site.heartbeat("kitchen", room: "Kitchen", revision: revision)
            site.advance(to: site.now + 10)
        }
        #expect(site.pipeline.registry.revision == 1)
        #expect(registryMessages(site, from: before).isEmpty)
        #expect(site.ask("items/add", keys).contains(#""ok":true"#))
        #expect(site.published(on: .registryManifest).last?.contains(#""revision":2,"#) == true)
    }

    @Test func `a gateway that goes on following another revision is a problem in info`() {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        for _ in 0..<4 {
            site.heartbeat("kitchen", room: "Kitchen", revision: 7)
            site.advance(to: site.now + 30)
        }
        #expect(site.published(on: .aggregatorInfo).last?.contains("kitchen follows revision 7") == true)
        site.heartbeat("kitchen", room: "Kitchen", revision: 1)
        site.advance(to: site.now + 30)
        #expect(site.published(on: .aggregatorInfo).last?.contains("follows revision") == false)
    }

    /// The messages of the registry among the outputs from an index on.
    private func registryMessages(_ site: TestSite, from index: Int) -> [Topic] {
        site.outputs[index...].compactMap { output in
            guard case .publish(let message) = output else { return nil }
            switch message.topic {
            case .registryItem, .registryRegion, .registryManifest: return message.topic
            default: return nil
            }
        }
    }

    @Test func `a manifest of an absurd revision is written over by one that gateways follow`() throws {
        var site = TestSite()
        let absurd = RegistryManifest(revision: RegistryManifest.highestRevision, items: [], regions: [])
        site.deliver(.registryManifest, absurd.bytes)
        site.advance(to: site.now + 10)
        let text = try #require(site.published(on: .registryManifest).last)
        let manifest = try RegistryManifest(parsing: Array(text.utf8))
        #expect(manifest.replaces(absurd.revision, of: absurd.origin))
        #expect(manifest.revision < 10)
        #expect(site.ask("items/add", keys).contains(#""ok":true"#))
        let next = try RegistryManifest(parsing: Array(try #require(site.published(on: .registryManifest).last).utf8))
        #expect(next.replaces(manifest.revision, of: manifest.origin))
    }

    @Test func `a manifest that cannot be read is written over`() {
        var site = TestSite()
        let before = site.published(on: .registryManifest).count
        site.deliver(.registryManifest, Array(#"{"v":1,"revision":9007199254740991,"items":[],"regions":[]}"#.utf8))
        site.advance(to: site.now + 10)
        #expect(site.published(on: .registryManifest).count == before + 1)
        #expect(site.published(on: .registryManifest).last?.contains(#""revision":1,"#) == true)
    }

    @Test
    func `a registry that another program goes on writing is repaired ever more rarely, and is a problem in info`() {
        var site = TestSite()
        let before = site.outputs.count
        for _ in 0..<600 {
            site.deliver(.registryItem("laptop-bag"), [])
            site.deliver(.registryItem("stranger"), Array("{}".utf8))
            site.deliver(
                .registryManifest,
                RegistryManifest(revision: site.pipeline.registry.revision, items: [], regions: []).bytes)
            site.advance(to: site.now + 1)
        }
        #expect((3...45).contains(registryMessages(site, from: before).count))
        #expect(site.published(on: .aggregatorInfo).last?.contains("another program writes the registry") == true)
    }

    @Test func `no gateway is removed before it is known whether it is alive, after a second start either`() throws {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        for _ in 1...2 {
            site = TestSite(stored: try StoredSite(parsing: site.pipeline.stored.bytes), settling: false)
            site.gateway("kitchen", room: "Kitchen")
            #expect(site.ask("gateways/remove", #"{"name":"kitchen"}"#).contains("try again in a few seconds"))
            site.advance(to: 6)
            #expect(site.ask("gateways/remove", #"{"name":"kitchen"}"#).contains("is alive"))
        }
    }

    @Test func `of a gateway that is removed nothing stays, not even what was of no item`() {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        site.ranged(at: "kitchen")
        let stranger = BeaconIdentity(uuid: TestSite.bag.uuid, major: 99, minor: 99)
        let ranged = RangedState(
            gateway: "kitchen", proximity: .far, sightings: 1, addresses: 1, stamp: site.stamp(at: site.now),
            validFor: 25)
        site.deliver(.proximity(stranger, gateway: "kitchen"), ranged.bytes)
        let state = RegionState(
            .inside, since: TestSite.start, beacons: 1, gateway: "kitchen", stamp: site.stamp(at: site.now))
        site.deliver(.regionState(region: "its-own", gateway: "kitchen"), state.bytes)
        #expect(site.ask("gateways/remove", #"{"name":"kitchen"}"#).contains("is alive"))
        site.offline("kitchen")
        #expect(site.ask("gateways/remove", #"{"name":"kitchen"}"#).contains(#""ok":true"#))
        for topic in [
            Topic.gatewayAvailability(gateway: "kitchen"), .gatewayInfo(gateway: "kitchen"),
            .proximity(TestSite.bag, gateway: "kitchen"), .proximity(stranger, gateway: "kitchen"),
            .regionState(region: "its-own", gateway: "kitchen"),
        ] {
            #expect(site.published(on: topic) == [""], "\(topic)")
        }
    }

    @Test func `of two items with one beacon the configuration's counts, and the other one's problem is reported`() {
        var site = TestSite()
        _ = site.ask("items/add", keys)
        let both =
            TestSite.bagItem
            + "\n[[item]]\nname = \"Other keys\"\nuuid = \"e2c56db5-dffb-48d2-b060-d0f5a71096e0\"\nmajor = 7\nminor = 8\n"
        let again = TestSite(both, stored: site.pipeline.stored)
        #expect(again.location(of: "keys")?.presence == .unknown)
        #expect(again.location(of: "keys")?.error?.contains("other-keys") == true)
        #expect(again.location(of: "other-keys")?.error == nil)
    }

    @Test func `an item whose beacon a reload gives to another item is unknown, each time`() throws {
        var site = TestSite("")
        site.gateway("kitchen", room: "Kitchen")
        _ = site.ask(
            "items/add",
            "{\"name\":\"My bag\",\"uuid\":\"\(TestSite.bag.uuid)\",\"major\":\(TestSite.bag.major),\"minor\":\(TestSite.bag.minor)}"
        )
        for time in 1...2 {
            for (toml, isThere) in [("", true), (TestSite.bagItem, false)] {
                let configuration = readSettings(Array(toml.utf8), file: "test.toml") { AggregatorConfiguration($0) }
                _ = site.pipeline.reload(try #require(configuration.configuration), at: site.moment)
                for _ in 1...2 {
                    site.ranged(at: "kitchen")
                    site.advance(to: site.now + 5)
                }
                #expect((site.location(of: "my-bag")?.error == nil) == isThere, "time \(time)")
                #expect(site.location(of: "my-bag")?.presence == (isThere ? .home : .unknown), "time \(time)")
            }
        }
    }

    @Test func `an entry that somebody else wrote over or cleared is written again, and our own echo is not`() {
        var site = TestSite()
        let topic = Topic.registryItem("laptop-bag")
        let written = site.published(on: topic)
        site.deliver(topic, Array(written[0].utf8))
        #expect(site.published(on: topic) == written)
        site.deliver(topic, [])
        site.advance(to: site.now + 5)
        #expect(site.published(on: topic) == written + [written[0]])
    }

    @Test func `an entry that is written over right after a connect is written again, too`() {
        var site = TestSite()
        site.pipeline.disconnected(at: TestSite.moment(site.now))
        site.pipeline.connected(at: TestSite.moment(site.now))
        _ = site.pipeline.drainOutputs()
        let before = site.published(on: .registryItem("laptop-bag")).count
        site.deliver(.registryItem("laptop-bag"), [])
        #expect(site.published(on: .registryItem("laptop-bag")).count == before)
        site.advance(to: site.now + 5)
        #expect(site.published(on: .registryItem("laptop-bag")).count == before + 1)
    }

    @Test func `rubbish is counted and ignored`() {
        var site = TestSite()
        site.deliver(.gatewayInfo(gateway: "kitchen"), Array("{".utf8))
        site.deliver(.gatewayAvailability(gateway: "kitchen"), Array("perhaps".utf8))
        site.deliver(.proximity(TestSite.bag, gateway: "kitchen"), Array(#"{"v":1,"gateway":"hall"}"#.utf8))
        site.deliver(.beaconEvent(TestSite.bag, gateway: "kitchen"), [0xFF])
        site.pipeline.receive(topic: "elsewhere/x", payload: [], isRetained: false, at: TestSite.moment(6))
        #expect(site.pipeline.effects.refused.values.reduce(0, +) == 5)
    }
}
