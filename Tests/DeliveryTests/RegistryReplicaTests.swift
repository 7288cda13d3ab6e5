import Beacons
import Delivery
import Messages
import Testing

struct RegistryReplicaTests {
    static let uuid = BeaconUUID("e2c56db5-dffb-48d2-b060-d0f5a71096e0")!

    private func item(_ number: Int, name: String? = nil) -> RegistryItem {
        RegistryItem(
            id: "item-\(number)", name: name ?? "Item \(number)",
            beacon: BeaconIdentity(uuid: Self.uuid, major: UInt16(number >> 8), minor: UInt16(number & 0xFF)))
    }

    private func receive(_ topic: Topic, _ payload: [UInt8], by replica: inout RegistryReplica) throws -> Bool {
        try replica.receive(topic, payload, at: .zero)
    }

    private func receive(_ item: RegistryItem, by replica: inout RegistryReplica) throws -> Bool {
        try receive(.registryItem(item.id), item.bytes, by: &replica)
    }

    /// The parts of a manifest with these items.
    private func parts(_ items: [RegistryItem]) -> [RegistryPart] {
        var parts = Array(repeating: RegistryPart(items: [], regions: []), count: RegistryPart.count)
        for item in items { parts[RegistryPart.number(of: item.id)].items.append(item.id) }
        return parts
    }

    private func manifest(_ revision: UInt64, _ parts: [RegistryPart]) -> [UInt8] {
        RegistryManifest(revision: revision, parts: parts.map { RegistryPart.digest(of: $0.bytes) }).bytes
    }

    /// A replica of a registry whose manifest has parts, in force with revision 1.
    private func replica(of items: [RegistryItem]) throws -> RegistryReplica {
        var replica = RegistryReplica()
        for item in items { #expect(try !receive(item, by: &replica)) }
        for (number, part) in parts(items).enumerated() {
            #expect(try !receive(.registryPart(number), part.bytes, by: &replica))
        }
        #expect(try receive(.registryManifest, manifest(1, parts(items)), by: &replica))
        #expect(replica.items.count == items.count)
        return replica
    }

    @Test(arguments: [10, 10_000]) func `a revision compares only the entries that it changes, however many there are`(
        count: Int
    ) throws {
        let items = (0..<count).map { item($0) }
        var replica = try replica(of: items)
        let before = replica.compared
        // One item has another name, one is new, one is gone.
        var changed = items + [item(count)]
        changed[3].name = "Keys"
        changed.remove(at: 2)
        #expect(try !receive(item(3, name: "Keys"), by: &replica))
        #expect(try !receive(item(count), by: &replica))
        #expect(try !receive(.registryItem("item-2"), [], by: &replica))
        for number in [2, count].map({ RegistryPart.number(of: "item-\($0)") }) {
            #expect(try !receive(.registryPart(number), parts(changed)[number].bytes, by: &replica))
        }
        #expect(try receive(.registryManifest, manifest(2, parts(changed)), by: &replica))
        #expect(replica.changes.items == ["item-2", "item-3", "item-\(count)"])
        #expect(replica.compared - before == 3)
        #expect(replica.items.values.map(\.name).sorted() == changed.map(\.name).sorted())
    }

    @Test func `an entry that a manifest leaves out for a while counts again with the next manifest that names it`()
        throws
    {
        var replica = RegistryReplica()
        for number in 0..<2 { _ = try receive(item(number), by: &replica) }
        func receiveManifest(_ revision: UInt64, _ ids: [String]) throws -> Bool {
            try receive(
                .registryManifest, RegistryManifest(revision: revision, items: ids, regions: []).bytes, by: &replica)
        }
        #expect(try receiveManifest(1, ["item-0", "item-1"]))
        #expect(try receiveManifest(2, ["item-0"]))
        #expect(replica.items.keys.sorted() == ["item-0"] && replica.changes.items == ["item-1"])
        #expect(try receiveManifest(3, ["item-0", "item-1"]))
        #expect(replica.items["item-1"] == item(1) && replica.changes.items == ["item-1"])
    }

    @Test func `a cleared entry that a newer manifest names is missing until it arrives again`() throws {
        var replica = try replica(of: [item(0), item(1)])
        _ = try receive(.registryItem("item-1"), [], by: &replica)
        #expect(replica.items.count == 2, "what is in force stays")
        let manifest = RegistryManifest(revision: 2, items: ["item-0", "item-1"], regions: [])
        #expect(try !receive(.registryManifest, manifest.bytes, by: &replica))
        #expect(replica.isMissingEntries && replica.revision == 1)
        #expect(try receive(item(1, name: "Keys"), by: &replica))
        #expect(replica.items["item-1"]?.name == "Keys" && replica.revision == 2)
    }

    @Test func `after a lost connection a registry comes into force only when all its entries have arrived again`()
        throws
    {
        var replica = try replica(of: [item(0), item(1)])
        replica.connectionLost()
        #expect(replica.items.count == 2)
        let manifest = RegistryManifest(revision: 2, items: ["item-0"], regions: [])
        #expect(try !receive(.registryManifest, manifest.bytes, by: &replica))
        #expect(try receive(item(0), by: &replica))
        #expect(replica.items.keys.sorted() == ["item-0"] && replica.changes.items == ["item-1"])
    }

    @Test func `an id that two parts name stays in force while one of them names it`() throws {
        var replica = RegistryReplica()
        _ = try receive(item(0), by: &replica)
        let (one, none) = (RegistryPart(items: ["item-0"], regions: []), RegistryPart(items: [], regions: []))
        for (number, part) in [one, one].enumerated() {
            _ = try receive(.registryPart(number), part.bytes, by: &replica)
        }
        #expect(try receive(.registryManifest, manifest(1, [one, one]), by: &replica))
        _ = try receive(.registryPart(0), none.bytes, by: &replica)
        #expect(try receive(.registryManifest, manifest(2, [none, one]), by: &replica))
        #expect(replica.items.count == 1)
        _ = try receive(.registryPart(1), none.bytes, by: &replica)
        #expect(try receive(.registryManifest, manifest(3, [none, none]), by: &replica))
        #expect(replica.items.isEmpty)
    }
}
