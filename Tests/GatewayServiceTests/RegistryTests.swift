import Beacons
import Messages
import Testing

@testable import GatewayService

@Suite("The registry at a gateway")
struct RegistryTests {
    private let item = RegistryItem(id: "laptop-bag", name: "Laptop bag", beacon: TestGateway.bag)

    private func gateway() -> TestGateway {
        var gateway = TestGateway("[monitoring]\nexit_after = \"10s\"")
        gateway.connect()
        return gateway
    }

    @Test func `an item counts once its manifest is there, whatever came first`() {
        var gateway = gateway()
        gateway.registry("manifest", RegistryManifest(revision: 1, items: ["laptop-bag"], regions: []), at: 1)
        gateway.hear(at: 2)
        #expect(gateway.story.isEmpty)
        gateway.registry("items/laptop-bag", item, at: 3)
        gateway.hear(at: 4)
        #expect(gateway.story == ["enter 1/2"])
        guard case .beacon(let enter) = gateway.events[0] else { return }
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
        gateway.hear(at: 5)
        #expect(gateway.story == ["enter 1/2"])
        #expect(gateway.pipeline.registry.revision == 5)
    }

    @Test func `an item that goes makes no event, and its topics are cleared`() {
        var gateway = gateway()
        gateway.registry("items/laptop-bag", item, at: 1)
        gateway.registry("manifest", RegistryManifest(revision: 1, items: ["laptop-bag"], regions: []), at: 1)
        gateway.hear(from: 2, to: 5)
        gateway.registry("manifest", RegistryManifest(revision: 2, items: [], regions: []), at: 6)
        for second in 7...60 { gateway.advance(to: Double(second)) }
        #expect(gateway.story == ["enter 1/2"])
        #expect(gateway.published(on: .proximity(TestGateway.bag, gateway: "kitchen")).last == "")
    }

    @Test func `what was kept on disk is in force again`() throws {
        var gateway = gateway()
        let kept = KeptRegistry(revision: 7, items: [item], regions: [])
        gateway.pipeline.restore(try KeptRegistry(parsing: kept.bytes))
        gateway.hear(at: 1)
        #expect(gateway.story == ["enter 1/2"])
    }

    @Test func `rubbish on the registry's topics is counted and ignored`() {
        var gateway = gateway()
        for (path, text) in [("items/laptop-bag", "{"), ("manifest", #"{"v":1,"revision":-1}"#), ("elephants/x", "{}")]
        {
            gateway.pipeline.take(
                topic: "forgetmenot/registry/\(path)", payload: Array(text.utf8), isRetained: true,
                at: TestGateway.moment(1))
        }
        #expect(gateway.pipeline.refusedMessages.values.reduce(0, +) == 3)
        #expect(gateway.pipeline.registry.revision == 0)
    }
}
