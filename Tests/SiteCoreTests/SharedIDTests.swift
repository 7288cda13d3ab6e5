import Beacons
import Messages
import Settings
import Testing

@testable import SiteCore

/// Items and regions share one namespace of ids, and ids that exist stay as they are.
struct SharedIDTests {
    private static let uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"

    private func item(_ name: String, minor: Int, id: String? = nil) -> String {
        "{\"name\":\"\(name)\",\"uuid\":\"\(Self.uuid)\",\"major\":3,\"minor\":\(minor)\(id.map { ",\"id\":\"\($0)\"" } ?? "")}"
    }

    private func region(_ name: String, major: Int, id: String? = nil) -> String {
        "{\"identifier\":\"\(name)\",\"uuid\":\"\(Self.uuid)\",\"major\":\(major)\(id.map { ",\"id\":\"\($0)\"" } ?? "")}"
    }

    @Test func `an item is not added under the id of a region, nor a region under the id of an item`() {
        var site = TestSite("")
        _ = site.ask("regions/add", region("Bags", major: 7))
        #expect(
            site.ask("items/add", item("My bag", minor: 1, id: "bags")).contains(
                "The id bags is that of the region \\\"Bags\\\" already: give another."))
        _ = site.ask("items/add", item("Keys", minor: 2))
        #expect(
            site.ask("regions/add", region("All keys", major: 8, id: "keys")).contains(
                "The id keys is that of the item \\\"Keys\\\" already: give another."))
        #expect(site.pipeline.registry.items.count == 1 && site.pipeline.registry.regions.count == 1)
    }

    @Test func `a made id avoids items and regions`() {
        var site = TestSite("")
        _ = site.ask("regions/add", region("Bags", major: 7))
        #expect(site.ask("items/add", item("Bags", minor: 1)).contains("\"id\":\"bags-2\""))
        _ = site.ask("items/add", item("Keys", minor: 2))
        #expect(site.ask("regions/add", region("Keys", major: 8)).contains("\"id\":\"keys-2\""))
    }

    @Test func `a word that commands take means one item: no name is another item's id, nor the other way round`() {
        var site = TestSite("")
        _ = site.ask("items/add", item("Keys", minor: 1))
        for minor in 2...3 {
            #expect(
                site.ask("items/add", item("keys", minor: minor)).contains(
                    "keys is the id of the item \\\"Keys\\\": give this one another name."))
        }
        // Its own id may be the name of an item.
        #expect(site.ask("items/rename", #"{"id":"keys","new_name":"keys"}"#).contains("\"ok\":true"))
        _ = site.ask("items/add", item("wallet", minor: 4, id: "leather"))
        #expect(site.ask("items/add", item("Wallet", minor: 5)).contains("\"id\":\"wallet-2\""))
        #expect(
            site.ask("items/add", item("Purse", minor: 6, id: "wallet")).contains(
                "wallet is the name of the item leather: give another id."))
        #expect(
            site.ask("items/rename", #"{"id":"leather","new_name":"wallet-2"}"#).contains("is the id of the item"))
    }

    // MARK: The file

    private func itemTable(_ name: String, minor: Int, _ more: String = "") -> String {
        "[[item]]\nname = \"\(name)\"\nuuid = \"\(Self.uuid)\"\nmajor = 3\nminor = \(minor)\n\(more)\n"
    }

    private func regionTable(_ name: String, major: Int, _ more: String = "") -> String {
        "[[region]]\nidentifier = \"\(name)\"\nuuid = \"\(Self.uuid)\"\nmajor = \(major)\n\(more)\n"
    }

    private func read(_ text: String) -> (configuration: AggregatorConfiguration?, problems: [String]) {
        let reading = readSettings(Array(text.utf8), file: "a.toml") { AggregatorConfiguration($0) }
        return (reading.configuration, reading.problems.map { "\($0)" })
    }

    @Test func `check reports an item and a region of one id, with file and line`() {
        let problems = read(itemTable("Bag", minor: 1, "id = \"b\"") + regionTable("Bags", major: 7, "id = \"b\""))
            .problems
        #expect(problems == ["a.toml:11: region.id is \"b\", like the id of the item in line 1: write another id"])
    }

    @Test func `a name in the file that is the id of another item or person is found, and its own id is not`() throws {
        let person = "[[person]]\nname = \"Anna\"\n[[person]]\nname = \"anna\"\n"
        let text = itemTable("Keys", minor: 1) + itemTable("keys", minor: 2) + itemTable("bag", minor: 3) + person
        let configuration = try #require(read(text).configuration)
        #expect(
            configuration.ambiguity == """
                a.toml:7: item.name is "keys", the id of the item "Keys": write another name
                a.toml:21: person.name is "anna", the id of the person "Anna": write another name
                """)
        #expect(try #require(read(itemTable("bag", minor: 3)).configuration).ambiguity == nil)
    }

    @Test func `ids made from names in the file avoid each other`() throws {
        let made = try #require(read(itemTable("Bags", minor: 1) + regionTable("Bags", major: 7)).configuration)
        #expect(made.site.items.map(\.item.id) == ["bags"] && made.regions.map(\.region.id) == ["bags-2"])
        let text = itemTable("Bags", minor: 1) + regionTable("All", major: 7, "id = \"bags\"")
        let written = try #require(read(text).configuration)
        #expect(written.site.items.map(\.item.id) == ["bags-2"] && written.regions.map(\.region.id) == ["bags"])
    }

    // MARK: Ids that exist

    @Test func `an item and a region of the file retain the ids that they have on disk`() throws {
        let text = itemTable("Küche", minor: 1) + regionTable("Büro", major: 7)
        let beacon = BeaconIdentity(uuid: TestSite.bag.uuid, major: 3, minor: 1)
        let stored = StoredSite(
            revision: 5, items: [RegistryItem(id: "ku-che", name: "Küche", beacon: beacon)],
            regions: [Region(id: "bu-ro", identifier: "Büro", scope: .major(TestSite.bag.uuid, 7))],
            configured: ["ku-che", "region bu-ro"], states: [])
        let site = TestSite(text, stored: stored)
        #expect(site.pipeline.registry.items.keys.sorted() == ["ku-che"])
        #expect(site.pipeline.registry.regions.keys.sorted() == ["bu-ro"])
        #expect(site.pipeline.registry.configured["ku-che"] == "test.toml:1")
        #expect(TestSite(text).pipeline.registry.items.keys.sorted() == ["kuche"])
    }

    @Test func `a new entry of the file does not get the stored id of another entry`() throws {
        let beacon = BeaconIdentity(uuid: TestSite.bag.uuid, major: 3, minor: 1)
        let stored = StoredSite(
            revision: 5, items: [RegistryItem(id: "ku-che", name: "Küche", beacon: beacon)], regions: [],
            configured: ["ku-che"], states: [])
        let site = TestSite(itemTable("Ku che", minor: 2) + itemTable("Küche", minor: 1), stored: stored)
        #expect(site.pipeline.registry.items["ku-che"]?.name == "Küche")
        #expect(site.pipeline.registry.items["ku-che-2"]?.name == "Ku che")
    }

    @Test func `a clash of ids that is on disk stays as it is`() {
        let beacon = BeaconIdentity(uuid: TestSite.bag.uuid, major: 3, minor: 1)
        let stored = StoredSite(
            revision: 5, items: [RegistryItem(id: "bags", name: "Bags", beacon: beacon)],
            regions: [Region(id: "bags", identifier: "Bags", scope: .major(TestSite.bag.uuid, 7))],
            configured: [], states: [])
        let site = TestSite("", stored: stored)
        #expect(site.pipeline.registry.items["bags"] != nil && site.pipeline.registry.regions["bags"] != nil)
        #expect(site.pipeline.registry.revision == 5)
    }
}
