import Messages
import Settings
import Testing

@testable import SiteCore

/// A configuration that changes while the aggregator runs.
struct ReloadTests {
    private func configuration(_ toml: String) -> AggregatorConfiguration {
        let reading = readSettings(Array(toml.utf8), file: "test.toml") { AggregatorConfiguration($0) }
        precondition(reading.problems.isEmpty, "\(reading.problems)")
        return reading.configuration!
    }

    private let keys =
        "\n[[item]]\nname = \"Keys\"\nuuid = \"e2c56db5-dffb-48d2-b060-d0f5a71096e0\"\nmajor = 1\nminor = 3\n"

    private func manifests(_ outputs: [SiteOutput]) -> [RegistryManifest] {
        outputs.compactMap { output in
            guard case .publish(let message) = output, message.topic == .registryManifest else { return nil }
            return try? RegistryManifest(parsing: message.payload)
        }
    }

    private func cleared(_ outputs: [SiteOutput]) -> [Topic] {
        outputs.compactMap { output in
            guard case .publish(let message) = output, message.payload.isEmpty else { return nil }
            return message.topic
        }
    }

    @Test func `an item on disk is published to the gateways, the manifest last`() throws {
        var site = TestSite()
        let revision = site.pipeline.registry.revision
        _ = site.pipeline.reload(configuration(TestSite.bagItem + keys), at: TestSite.moment(6))
        let manifest = try #require(manifests(site.pipeline.drainOutputs()).last)
        #expect(manifest.items == ["keys", "laptop-bag"] && manifest.revision == revision + 1)
        #expect(site.pipeline.items.table["keys"] != nil)
    }

    @Test func `an item that was deleted is taken back without an event, and one added by command stays`() {
        var site = TestSite(TestSite.bagItem + keys)
        site.deliver(
            .aggregatorRequest(what: "items/add"),
            Array("{\"name\":\"Cat\",\"uuid\":\"e2c56db5-dffb-48d2-b060-d0f5a71096e0\",\"major\":1,\"minor\":9}".utf8))
        let upcoming = site.pipeline.log.upcoming
        _ = site.pipeline.reload(configuration(TestSite.bagItem), at: TestSite.moment(6))
        let cleared = cleared(site.pipeline.drainOutputs())
        #expect(cleared.contains(.registryItem("keys")) && cleared.contains(.itemLocation(item: "keys")))
        #expect(site.pipeline.items.table.keys.sorted() == ["cat", "laptop-bag"])
        #expect(site.pipeline.log.upcoming == upcoming)
    }

    @Test func `the aliases of an item that was deleted before a start are cleared, once`() throws {
        var site = TestSite(TestSite.bagItem + keys)
        for count in [1, 0] {
            site = TestSite(stored: try StoredSite(parsing: site.pipeline.stored.bytes))
            #expect(site.published(on: .itemAliases(item: "keys")) == Array(repeating: "", count: count))
            #expect(site.published(on: .itemAliases(item: "laptop-bag")).isEmpty)
        }
    }

    @Test func `an edit without a change publishes nothing`() {
        var site = TestSite()
        let revision = site.pipeline.registry.revision
        #expect(site.pipeline.reload(configuration(TestSite.bagItem), at: TestSite.moment(6)).isEmpty)
        #expect(manifests(site.pipeline.drainOutputs()).isEmpty && site.pipeline.registry.revision == revision)
    }

    @Test func `settings that need a restart are named`() {
        var site = TestSite()
        let late = site.pipeline.reload(
            configuration(TestSite.bagItem + "\n[home_assistant]\ndiscovery = false\n[log]\nlevel = \"debug\"\n"),
            at: TestSite.moment(6))
        #expect(late == ["[log]", "[home_assistant]"])
    }

    @Test func `info has the rooms of gateways that report another room, as soon as one of the two changes`() throws {
        var site = TestSite(TestSite.bagItem + "\n[[gateway]]\nid = \"kitchen\"\nroom = \"Hall\"\n")
        func rooms() throws -> [String: String] {
            try AggregatorInfo(parsing: Array(try #require(site.published(on: .aggregatorInfo).last).utf8)).rooms
        }
        for _ in 1...2 {
            site.gateway("kitchen", room: "Kitchen")
            #expect(try rooms() == ["kitchen": "Hall"])
            site.gateway("kitchen", room: "Hall")
            site.gateway("attic", room: "Attic")
            site.advance(to: site.now + 40)
            #expect(try rooms() == [:])
        }
    }

    @Test func `a gateway's room is as it is written now`() {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        #expect(site.pipeline.reports.gateways.room(of: "kitchen") == "Kitchen")
        let late = site.pipeline.reload(
            configuration(TestSite.bagItem + "\n[[gateway]]\nid = \"kitchen\"\nroom = \"Hall\"\n[mqtt]\nport = 1\n"),
            at: TestSite.moment(6))
        #expect(site.pipeline.reports.gateways.room(of: "kitchen") == "Hall" && late == ["[mqtt]"])
    }
}
