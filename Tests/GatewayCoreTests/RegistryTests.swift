import Beacons
import Messages
import Testing

@testable import GatewayCore

@Suite("The registry at a gateway")
struct RegistryTests {
    private let item = RegistryItem(id: "laptop-bag", name: "Laptop bag", beacon: TestGateway.bag)

    private func gateway() -> TestGateway {
        var gateway = TestGateway("[monitoring]\nexit_after = \"10s\"")
        gateway.connect()
        return gateway
    }

    @Test func `an item counts once its manifest is there, whatever came first`() throws {
        var gateway = gateway()
        gateway.registry("manifest", RegistryManifest(revision: 1, items: ["laptop-bag"], regions: []), at: 1)
        gateway.receive(at: 2)
        #expect(gateway.story.isEmpty)
        gateway.registry("items/laptop-bag", item, at: 3)
        gateway.receive(at: 4)
        #expect(gateway.story == ["enter 1/2"])
        guard case .beacon(let enter) = try #require(gateway.events.first) else {
            Issue.record("the first event is no beacon's")
            return
        }
        #expect(enter.regions == ["laptop-bag"])
        #expect(gateway.published(on: .regionState(region: "laptop-bag", gateway: "kitchen")).isEmpty)
    }

    @Test func `an older manifest, and a broker that lost its memory, change nothing`() {
        var gateway = gateway()
        gateway.registry("items/laptop-bag", item, at: 1)
        gateway.registry("manifest", RegistryManifest(revision: 5, items: ["laptop-bag"], regions: []), at: 1)
        gateway.registry("manifest", RegistryManifest(revision: 4, items: [], regions: []), at: 2)
        gateway.pipeline.disconnected(at: TestGateway.moment(3))
        gateway.connect(at: 4)
        gateway.receive(at: 5)
        #expect(gateway.story == ["enter 1/2"])
        #expect(gateway.pipeline.registry.revision == 5)
    }

    @Test func `a registry of another origin is followed, whatever its revision`() throws {
        var gateway = gateway()
        gateway.registry("items/laptop-bag", item, at: 1)
        gateway.registry(
            "manifest", RegistryManifest(revision: 500, origin: Boot("1.abcd"), items: ["laptop-bag"], regions: []),
            at: 1)
        #expect(gateway.pipeline.registry.revision == 500)
        gateway.registry("manifest", RegistryManifest(revision: 3, items: [], regions: []), at: 2)
        #expect(gateway.pipeline.registry.revision == 500, "an older revision of nobody's is not followed")
        gateway.registry(
            "manifest", RegistryManifest(revision: 2, origin: Boot("7.wxyz"), items: [], regions: []), at: 3)
        #expect(gateway.pipeline.registry.revision == 2)
        let stored = try StoredRegistry(parsing: gateway.pipeline.registry.stored.bytes)
        #expect(stored.origin == Boot("7.wxyz"))
        gateway.registry(
            "manifest", RegistryManifest(revision: 1, origin: Boot("7.wxyz"), items: ["laptop-bag"], regions: []), at: 4
        )
        #expect(gateway.pipeline.registry.revision == 2)
    }

    @Test func `entries that the broker did not deliver are asked for a few at a time, until the registry is whole`() {
        var gateway = gateway()
        let items = (0..<1500).map { number in
            let beacon = BeaconIdentity(uuid: TestGateway.bag.uuid, major: 500, minor: UInt16(number))
            return RegistryItem(id: "thing-\(number)", name: "Thing \(number)", beacon: beacon)
        }
        gateway.registry("manifest", RegistryManifest(revision: 1, items: items.map(\.id), regions: []), at: 1)
        for item in items.prefix(1000) { gateway.registry("items/\(item.id)", item, at: 1) }
        var asked = 0
        var known = gateway.outputs.count
        for second in 2..<60 {
            gateway.advance(to: Double(second))
            let news = gateway.outputs[known...]
            known = gateway.outputs.count
            for case .perform(.fetch(.subscribe(let topics))) in news {
                #expect(topics.count <= 200)
                asked += topics.count
                for case .registryItem(let id) in topics {
                    gateway.registry("items/\(id)", items[Int(id.dropFirst(6))!], at: Double(second))
                }
            }
        }
        #expect(asked == 500)
        #expect(gateway.pipeline.registry.revision == 1 && gateway.pipeline.registry.items.count == 1500)
    }

    @Test func `a manifest in parts counts once each part with its digest and each entry is there`() {
        var gateway = gateway()
        let item = item
        let parts = [RegistryPart(items: [item.id], regions: []), RegistryPart(items: [], regions: [])]
        let digests = parts.map { RegistryPart.digest(of: $0.bytes) }
        gateway.registry("manifest/0", RegistryPart(items: ["former"], regions: []), at: 1)
        gateway.registry("manifest/1", parts[1], at: 1)
        gateway.registry("items/\(item.id)", item, at: 1)
        gateway.registry("manifest", RegistryManifest(revision: 1, parts: digests), at: 1)
        #expect(gateway.pipeline.registry.revision == 0)
        var asked: [Topic] = []
        for second in 2..<6 { gateway.advance(to: Double(second)) }
        for case .perform(.fetch(.subscribe(let topics))) in gateway.outputs { asked += topics }
        #expect(asked == [.registryPart(0)], "the part of another manifest is requested once more")
        gateway.registry("manifest/0", parts[0], at: 7)
        #expect(gateway.pipeline.registry.revision == 1 && gateway.pipeline.registry.items.keys.sorted() == [item.id])
        // A change: the part comes first, and the manifest makes it count.
        let empty = RegistryPart(items: [], regions: [])
        gateway.registry("manifest/0", empty, at: 8)
        #expect(gateway.pipeline.registry.items.count == 1)
        gateway.registry(
            "manifest", RegistryManifest(revision: 2, parts: [RegistryPart.digest(of: empty.bytes), digests[1]]), at: 8)
        #expect(gateway.pipeline.registry.revision == 2 && gateway.pipeline.registry.items.isEmpty)
        // A registry that shrinks names its entries in the manifest again.
        gateway.registry("manifest", RegistryManifest(revision: 3, items: [item.id], regions: []), at: 9)
        #expect(gateway.pipeline.registry.revision == 3 && gateway.pipeline.registry.items.count == 1)
    }

    @Test func `a manifest whose parts name more than a site has is not followed`() {
        var gateway = gateway()
        gateway.registry("items/\(item.id)", item, at: 1)
        gateway.registry("manifest", RegistryManifest(revision: 1, items: [item.id], regions: []), at: 1)
        let parts = (0...10).map { part in RegistryPart(items: (0..<9999).map { "thing-\(part)-\($0)" }, regions: []) }
        for (number, part) in parts.enumerated() { gateway.registry("manifest/\(number)", part, at: 2) }
        gateway.registry(
            "manifest", RegistryManifest(revision: 2, parts: parts.map { RegistryPart.digest(of: $0.bytes) }), at: 3)
        #expect(gateway.pipeline.registry.revision == 1 && gateway.pipeline.registry.items.count == 1)
    }

    @Test func `entries that never come are a problem in info, until the manifest no longer names them`() {
        var gateway = gateway()
        gateway.registry("items/laptop-bag", item, at: 1)
        gateway.registry("manifest", RegistryManifest(revision: 1, items: ["laptop-bag", "lost"], regions: []), at: 1)
        for second in 2..<40 { gateway.advance(to: Double(second)) }
        let info = gateway.published(on: .gatewayInfo(gateway: "kitchen")).last
        #expect(info?.contains("does not deliver an entry of the registry's revision 1") == true, "\(info ?? "")")
        let fetches = gateway.outputs.count { if case .perform(.fetch) = $0 { true } else { false } }
        #expect(fetches == 2, "one question, and its end")
        gateway.registry("manifest", RegistryManifest(revision: 2, items: ["laptop-bag"], regions: []), at: 41)
        gateway.advance(to: 43)
        #expect(gateway.published(on: .gatewayInfo(gateway: "kitchen")).last?.contains("does not deliver") == false)
        #expect(gateway.pipeline.registry.revision == 2)
    }

    @Test func `a registry at the limit and its states are read back from the gateway's own files`() throws {
        var gateway = gateway()
        let ids = (0..<RegistryManifest.longestList).map { "thing-\($0)" }
        let beacons = ids.indices.map { number in
            BeaconIdentity(uuid: TestGateway.bag.uuid, major: UInt16(number >> 8) + 100, minor: UInt16(number & 0xFF))
        }
        for (id, beacon) in zip(ids, beacons) {
            gateway.registry("items/\(id)", RegistryItem(id: id, name: id, beacon: beacon), at: 1)
        }
        gateway.registry("manifest", RegistryManifest(revision: 1, items: ids, regions: []), at: 1)
        #expect(gateway.pipeline.registry.items.count == ids.count)
        #expect(try StoredRegistry(parsing: gateway.pipeline.registry.stored.bytes).items.count == ids.count)
        for beacon in beacons { gateway.receive(beacon, at: 2) }
        let states = try #require(gateway.pipeline.storedStates(machine: "m"))
        #expect(states.snapshot.beacons.count == ids.count)
        #expect(try StoredStates(parsing: states.bytes).snapshot.beacons.count == ids.count)
    }

    @Test func `an item that goes makes no event, and its topics are cleared`() {
        var gateway = gateway()
        gateway.registry("items/laptop-bag", item, at: 1)
        gateway.registry("manifest", RegistryManifest(revision: 1, items: ["laptop-bag"], regions: []), at: 1)
        gateway.receive(from: 2, to: 5)
        gateway.registry("manifest", RegistryManifest(revision: 2, items: [], regions: []), at: 6)
        for second in 7...60 { gateway.advance(to: Double(second)) }
        #expect(gateway.story == ["enter 1/2"])
        #expect(gateway.published(on: .proximity(TestGateway.bag, gateway: "kitchen")).last == "")
    }

    @Test func `a region of the gateway that has an item's id is a problem, and both are monitored`() throws {
        var gateway = TestGateway(
            """
            [[region]]
            identifier = "Laptop bag"
            uuid = "\(TestGateway.bag.uuid)"
            major = 1
            """)
        gateway.connect()
        gateway.registry("items/laptop-bag", item, at: 1)
        gateway.registry("manifest", RegistryManifest(revision: 1, items: ["laptop-bag"], regions: []), at: 1)
        gateway.receive(from: 2, to: 4)
        let info = try #require(gateway.published(on: .gatewayInfo(gateway: "kitchen")).last)
        #expect(
            try GatewayInfo(parsing: Array(info.utf8)).problems == [
                "The region Laptop bag of this gateway has the id of the item Laptop bag (laptop-bag): give the region another id"
            ])
        let state = try #require(gateway.published(on: .regionState(region: "laptop-bag", gateway: "kitchen")).last)
        #expect(state.contains("\"state\":\"inside\""))
        #expect(gateway.story.first == "enter 1/2")
    }

    @Test func `a region of the site that is not monitored because another one has its id is reported`() throws {
        var gateway = TestGateway(
            """
            [[region]]
            identifier = "Bags"
            uuid = "\(TestGateway.bag.uuid)"
            major = 7
            """)
        gateway.connect()
        let region = Region(id: "bags", identifier: "All bags", scope: .uuid(TestGateway.bag.uuid))
        gateway.registry("regions/bags", region, at: 1)
        gateway.registry("manifest", RegistryManifest(revision: 1, items: [], regions: ["bags"]), at: 1)
        gateway.receive(from: 2, to: 4)
        let info = try #require(gateway.published(on: .gatewayInfo(gateway: "kitchen")).last)
        #expect(
            try GatewayInfo(parsing: Array(info.utf8)).problems == [
                "The region Bags of this gateway has the id of the site's region All bags (bags): give the region another id"
            ])
    }

    @Test func `the state on disk applies again after a start`() throws {
        var gateway = gateway()
        let stored = StoredRegistry(revision: 7, items: [item], regions: [])
        gateway.pipeline.restore(try StoredRegistry(parsing: stored.bytes))
        gateway.receive(at: 1)
        #expect(gateway.story == ["enter 1/2"])
    }

    @Test func `rubbish on the registry's topics is counted and ignored`() {
        var gateway = gateway()
        for (path, text) in [("items/laptop-bag", "{"), ("manifest", #"{"v":1,"revision":-1}"#), ("elephants/x", "{}")]
        {
            gateway.pipeline.receive(
                topic: "forgetmenot/registry/\(path)", payload: Array(text.utf8), isRetained: true,
                at: TestGateway.moment(1))
        }
        #expect(gateway.pipeline.effects.refused.values.reduce(0, +) == 3)
        #expect(gateway.pipeline.registry.revision == 0)
    }
}
