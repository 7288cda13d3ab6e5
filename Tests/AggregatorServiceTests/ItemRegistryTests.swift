import Beacons
import Messages
import Testing

@testable import AggregatorService

@Suite("Items by command")
struct ItemRegistryTests {
    private let keys =
        #"{"name":"Keys","uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0","major":7,"minor":8,"transaction":1}"#

    @Test func `an item is added, told to the gateways entry first and manifest last, and is unknown at first`() throws
    {
        var site = TestSite()
        let answer = site.ask("items/add", keys)
        #expect(
            answer.contains(#""ok":true"#) && answer.contains(#""id":"keys""#) && answer.contains(#""transaction":1"#))
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
    func `what cannot be an item is refused in one sentence`(request: String, reason: String) {
        var site = TestSite()
        let answer = site.ask("items/add", request)
        #expect(answer.contains(#""ok":false"#))
        #expect(answer.contains(reason), "\(answer)")
        #expect(site.pipeline.registry.revision == 1)
    }

    @Test func `an item that is removed leaves nothing behind`() {
        var site = TestSite()
        _ = site.ask("items/add", keys)
        let answer = site.ask("items/remove", #"{"name":"Keys"}"#)
        #expect(answer.contains(#""ok":true"#))
        for topic in [Topic.registryItem("keys"), .itemLocation(item: "keys"), .itemNotification(item: "keys")] {
            #expect(site.published(on: topic).last == "")
        }
        #expect(site.published(on: .registryManifest).last?.contains(#""items":["laptop-bag"]"#) == true)
        site.advance(to: site.now + 3)
        #expect(site.published(on: .itemLocation(item: "keys")).last == "")
        #expect(site.story.isEmpty)
    }

    @Test func `a configured item is not removed by command: file and line are named`() {
        var site = TestSite()
        let answer = site.ask("items/remove", #"{"name":"laptop-bag"}"#)
        #expect(answer.contains(#""ok":false"#) && answer.contains("test.toml:1"))
    }

    @Test func `what was added survives a restart, and what left the configuration is gone`() {
        var site = TestSite()
        _ = site.ask("items/add", keys)
        let again = TestSite("", kept: site.pipeline.kept)
        #expect(again.pipeline.registry.items.keys.sorted() == ["keys"])
        #expect(again.pipeline.registry.revision == 3)
    }

    @Test func `a broker that lost its memory gets the registry again`() {
        var site = TestSite()
        _ = site.ask("items/add", keys)
        let before = site.published(on: .registryManifest).count
        site.pipeline.disconnected(at: TestSite.moment(site.now))
        site.pipeline.connected(at: TestSite.moment(site.now))
        site.advance(to: site.now + 1)
        #expect(site.published(on: .registryManifest).count == before + 1)
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
        #expect(site.location(of: "keys")?.presence == .unknown)
        #expect(site.ask("items/remove", #"{"name":"Keys"}"#).contains(#""ok":true"#))
    }

    @Test func `the broker's newer registry is taken up though a gateway tells of it first`() {
        var site = TestSite(retained: [])
        site.pipeline.disconnected(at: TestSite.moment(site.now))
        site.pipeline.connected(at: TestSite.moment(site.now))
        site.gateway("kitchen", room: "Kitchen")
        site.heartbeat("kitchen", room: "Kitchen", revision: 42)
        for message in brokersRegistry { site.say(message.topic, message.payload, retained: true) }
        site.advance(to: site.now + 5)
        #expect(site.pipeline.registry.items.keys.sorted() == ["keys", "laptop-bag"])
        #expect(site.pipeline.registry.revision == 43)
    }

    @Test func `an entry that an older registry of the broker's has beyond ours is cleared`() {
        var site = TestSite()
        _ = site.ask("items/add", keys)
        _ = site.ask("items/remove", #"{"name":"Keys"}"#)
        let again = TestSite(
            kept: site.pipeline.kept,
            retained: [
                Message(.registryItem("keys"), keysItem),
                Message(.registryManifest, RegistryManifest(revision: 2, items: ["keys", "laptop-bag"], regions: [])),
            ])
        #expect(again.pipeline.registry.items.keys.sorted() == ["laptop-bag"])
        #expect(again.published(on: .registryItem("keys")) == [""])
    }

    @Test func `gateways that follow a newer registry are overtaken`() {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        site.heartbeat("kitchen", room: "Kitchen", revision: 42)
        #expect(site.pipeline.registry.revision == 43)
        #expect(site.published(on: .registryManifest).last?.contains(#""revision":43"#) == true)
    }

    @Test func `a revision that cannot be is not followed, and is written over`() {
        var site = TestSite()
        let before = site.published(on: .registryManifest).count
        let absurd = RegistryManifest(revision: (1 << 53) - 1, items: [], regions: [])
        site.say(.registryManifest, absurd.bytes)
        #expect(site.pipeline.registry.revision == 1)
        #expect(site.published(on: .registryManifest).count == before + 1)
        #expect(site.published(on: .registryManifest).last?.contains(#""revision":1,"#) == true)
        site.gateway("kitchen", room: "Kitchen")
        site.heartbeat("kitchen", room: "Kitchen", revision: (1 << 53) - 1)
        #expect(site.pipeline.registry.revision == 1)
        #expect(site.pipeline.refused["gateway_revision"] == 1)
    }

    @Test func `of a gateway that is removed nothing stays, not even what was of no item`() {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        site.ranged(at: "kitchen")
        let stranger = BeaconIdentity(uuid: TestSite.bag.uuid, major: 99, minor: 99)
        let ranged = RangedState(
            gateway: "kitchen", proximity: .far, sightings: 1, addresses: 1, stamp: site.stamp(at: site.now),
            validFor: 25)
        site.say(.proximity(stranger, gateway: "kitchen"), ranged.bytes)
        let state = RegionState(
            .inside, since: TestSite.start, beacons: 1, gateway: "kitchen", stamp: site.stamp(at: site.now))
        site.say(.regionState(region: "its-own", gateway: "kitchen"), state.bytes)
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

    @Test func `of two items with one beacon the configuration's counts, and the other says why not`() {
        var site = TestSite()
        _ = site.ask("items/add", keys)
        let both =
            TestSite.bagItem
            + "\n[[item]]\nname = \"Other keys\"\nuuid = \"e2c56db5-dffb-48d2-b060-d0f5a71096e0\"\nmajor = 7\nminor = 8\n"
        let again = TestSite(both, kept: site.pipeline.kept)
        #expect(again.location(of: "keys")?.presence == .unknown)
        #expect(again.location(of: "keys")?.error?.contains("other-keys") == true)
        #expect(again.location(of: "other-keys")?.error == nil)
    }

    @Test func `an entry that somebody else wrote over or cleared is written again, and our own echo is not`() {
        var site = TestSite()
        let topic = Topic.registryItem("laptop-bag")
        let written = site.published(on: topic)
        site.say(topic, Array(written[0].utf8))
        #expect(site.published(on: topic) == written)
        site.say(topic, [])
        #expect(site.published(on: topic) == written + [written[0]])
    }

    @Test func `an entry that is written over right after a connect is written again, too`() {
        var site = TestSite()
        site.pipeline.disconnected(at: TestSite.moment(site.now))
        site.pipeline.connected(at: TestSite.moment(site.now))
        _ = site.pipeline.takeOutputs()
        let before = site.published(on: .registryItem("laptop-bag")).count
        site.say(.registryItem("laptop-bag"), [])
        #expect(site.published(on: .registryItem("laptop-bag")).count == before)
        site.advance(to: site.now + 5)
        #expect(site.published(on: .registryItem("laptop-bag")).count == before + 1)
    }

    @Test func `rubbish is counted and ignored`() {
        var site = TestSite()
        site.say(.gatewayInfo(gateway: "kitchen"), Array("{".utf8))
        site.say(.gatewayAvailability(gateway: "kitchen"), Array("perhaps".utf8))
        site.say(.proximity(TestSite.bag, gateway: "kitchen"), Array(#"{"v":1,"gateway":"hall"}"#.utf8))
        site.say(.beaconEvent(TestSite.bag, gateway: "kitchen"), [0xFF])
        site.pipeline.take(topic: "elsewhere/x", payload: [], isRetained: false, at: TestSite.moment(6))
        #expect(site.pipeline.refused.values.reduce(0, +) == 5)
    }
}
