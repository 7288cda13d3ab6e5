import Messages
import Settings
import Testing

@testable import SiteCore

/// The registry of an aggregator that does not write it.
struct FollowedRegistryTests {
    private static let named = """
        name = "north"
        [[subscribe]]
        uuid = "\(SharedSite.uuid)"
        """

    private static func aggregator() -> AggregatorDriver {
        let reading = readSettings(Array(named.utf8), file: "test.toml") { AggregatorConfiguration($0) }
        var site = AggregatorDriver(
            reading.configuration!, boot: Boot("3.aggr")!, stored: nil, at: TestSite.moment(0))
        site.handle(.broker(.connected), at: TestSite.moment(0))
        return site
    }

    private static func deliver(_ topic: Topic, _ payload: [UInt8], to site: inout AggregatorDriver) {
        site.handle(
            .broker(.message(topic: topic.name(under: .standard), payload: payload, isRetained: false)),
            at: TestSite.moment(0))
    }

    private static func item(_ number: Int, name: String? = nil, beacon: Int? = nil) -> RegistryItem {
        RegistryItem(
            id: "item-\(number)", name: name ?? "Item \(number)",
            beacon: SharedSite.beacon(UInt16((beacon ?? number) >> 8), UInt16((beacon ?? number) & 0xFF)))
    }

    private static func publish(
        _ revision: UInt64, _ items: [RegistryItem], changed: [RegistryItem], to site: inout AggregatorDriver
    ) {
        for item in changed { deliver(.registryItem(item.id), item.bytes, to: &site) }
        var parts = Array(repeating: RegistryPart(items: [], regions: []), count: RegistryPart.count)
        for item in items { parts[RegistryPart.number(of: item.id)].items.append(item.id) }
        for number in Set(changed.map { RegistryPart.number(of: $0.id) }) {
            deliver(.registryPart(number), parts[number].bytes, to: &site)
        }
        if revision == 1 {
            for (number, part) in parts.enumerated() { deliver(.registryPart(number), part.bytes, to: &site) }
        }
        let manifest = RegistryManifest(revision: revision, parts: parts.map { RegistryPart.digest(of: $0.bytes) })
        deliver(.registryManifest, manifest.bytes, to: &site)
    }

    /// The entries and records that were compared so far.
    private static func compared(by site: AggregatorDriver) -> Int {
        site.followed.compared + site.site.pipeline.registry.compared + site.site.pipeline.items.counts.matched
    }

    @Test(arguments: [10, 10_000]) func `an aggregator with a name compares only what a revision changes`(count: Int) {
        var site = Self.aggregator()
        var items = (0..<count).map { Self.item($0) }
        Self.publish(1, items, changed: items, to: &site)
        #expect(site.site.pipeline.items.table.count == count)
        let before = Self.compared(by: site)
        items[3].name = "Keys"
        items.append(Self.item(count))
        Self.publish(2, items, changed: [items[3], items[count]], to: &site)
        #expect(site.site.pipeline.registry.revision == 2)
        #expect(site.site.pipeline.items.table["item-3"]?.item.name == "Keys")
        #expect(site.site.pipeline.items.table.count == count + 1)
        // Two entries in the replica, in the registry and in the table of records.
        #expect(Self.compared(by: site) - before == 6)
    }

    @Test func `two items that come to share a beacon are reported, and neither is when they no longer do`() {
        var site = Self.aggregator()
        var items = (0..<5).map { Self.item($0) }
        Self.publish(1, items, changed: items, to: &site)
        items[4] = Self.item(4, beacon: 2)
        Self.publish(2, items, changed: [items[4]], to: &site)
        #expect(site.site.pipeline.items.table["item-4"]?.error?.contains("item-2") == true)
        #expect(site.site.pipeline.registry.item(of: items[4].beacon) == "item-2")
        items[2] = Self.item(2, beacon: 4)
        Self.publish(3, items, changed: [items[2]], to: &site)
        #expect(site.site.pipeline.items.table["item-4"]?.error == nil)
        #expect(site.site.pipeline.registry.item(of: items[4].beacon) == "item-4")
        #expect(site.site.pipeline.registry.item(of: items[2].beacon) == "item-2")
        #expect(site.site.pipeline.registry.item(named: "Item 4")?.id == "item-4")
    }

    @Test func `two items that swap their beacons and names are found by the new ones`() {
        var site = Self.aggregator()
        var items = (0..<5).map { Self.item($0) }
        Self.publish(1, items, changed: items, to: &site)
        (items[1], items[2]) = (Self.item(1, name: "Item 2", beacon: 2), Self.item(2, name: "Item 1", beacon: 1))
        Self.publish(2, items, changed: [items[1], items[2]], to: &site)
        #expect(site.site.pipeline.registry.item(of: items[1].beacon) == "item-1")
        #expect(site.site.pipeline.registry.item(named: "Item 1")?.id == "item-2")
        #expect(site.site.pipeline.registry.conflicts.isEmpty)
    }
}
