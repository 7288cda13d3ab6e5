import Beacons
import Messages
import Settings
import Testing

@testable import SiteCore

/// What requests change of a registry, without the pipeline that follows.
struct RegistryRequestTests {
    private var registry: SiteRegistry

    init() {
        let reading = readSettings(Array(TestSite.bagItem.utf8), file: "test.toml") { AggregatorConfiguration($0) }
        registry = SiteRegistry(reading.configuration!, stored: nil, boot: nil)
    }

    private mutating func change(_ what: String, _ json: String) throws -> SiteRegistry.Change? {
        try registry.change(by: what, Request(parsing: Array(json.utf8)), owners: { ids, _ in ids })
    }

    private static let keys = #"{"name":"Keys","uuid":"\#(SharedSite.uuid)","major":9,"minor":9}"#

    @Test mutating func `an item that is added, renamed and removed is named by each change`() throws {
        let revision = registry.revision
        let added = try #require(try change("items/add", Self.keys))
        #expect(added.items == ["keys"] && added.isLocationDue)
        let renamed = try #require(try change("items/rename", #"{"id":"keys","new_name":"Car keys"}"#))
        #expect(renamed.items == ["keys"] && registry.items["keys"]?.name == "Car keys")
        let removed = try #require(try change("items/remove", #"{"id":"keys"}"#))
        #expect(removed.items == ["keys"])
        #expect(registry.items["keys"] == nil && registry.revision == revision + 3)
    }

    @Test mutating func `a request that names no item changes nothing`() throws {
        let former = registry
        #expect(throws: Refused("There is no item \"nothing\".")) {
            try change("items/remove", #"{"id":"nothing"}"#)
        }
        #expect(throws: Refused("There is no item \"laptop bog\": did you mean \"Laptop bag\"?")) {
            try change("items/remove", #"{"name":"laptop bog"}"#)
        }
        #expect(throws: Refused.self) { try change("items/remove", #"{"id":"laptop-bag"}"#) }
        #expect(registry.items == former.items && registry.revision == former.revision)
    }

    @Test mutating func `an edit changes the name and the settings of an item together, or neither`() throws {
        _ = try change("items/add", Self.keys)
        let revision = registry.revision
        let edit = #"{"id":"keys","new_name":"Car keys","measured_power_dbm":-62}"#
        let changed = try #require(try change("items/edit", edit))
        #expect(changed.items == ["keys"] && changed.isLocationDue)
        #expect(registry.items["keys"]?.name == "Car keys" && registry.items["keys"]?.measuredPower?.dBm == -62)
        #expect(registry.revision == revision + 1)
        let former = registry.items["keys"]
        for wrong in [
            "\"new_name\":\"Laptop bag\",\"measured_power_dbm\":-70", "\"new_name\":\"X\",\"measured_power_dbm\":5",
        ] {
            #expect(throws: Refused.self) { try change("items/edit", "{\"id\":\"keys\",\(wrong)}") }
            #expect(registry.items["keys"] == former && registry.item(named: "Car keys") == former, "\(wrong)")
        }
    }

    @Test(arguments: [
        ("items/add", #","notify":{"when":"left"}"#, "\"when\" is no key of this request."),
        (
            "items/add", #","notify":{"rturned":true}"#,
            "\"rturned\" is no key of this request: did you mean \"returned\"?"
        ),
        (
            "items/add", #","measured_power":-60"#,
            "\"measured_power\" is no key of this request: did you mean \"measured_power_dbm\"?"
        ),
        (
            "items/rename", #","id":"laptop-bag","newname":"Bag""#,
            "\"newname\" is no key of this request: did you mean \"new_name\"?"
        ),
        ("items/edit", #","id":"laptop-bag","notify":{"when":"left"}"#, "\"when\" is no key of this request."),
        ("items/edit", #","id":"laptop-bag","notify":{"left":true},"uuid":"x""#, "\"uuid\" is no key of this request."),
        ("items/remove", #","id":"laptop-bag","past":true"#, "\"past\" is no key of this request."),
        (
            "regions/add", #","uuid":"f7826da6-4fa2-4e98-8024-bc5b71e0893e","identifier":"B","notify_on_enter":false"#,
            "\"notify_on_enter\" is no key of this request: did you mean \"notify_on_entry\"?"
        ),
    ])
    mutating func `a request with a key that nobody reads is refused, and names the key that was probably meant`(
        what: String, rest: String, sentence: String
    ) throws {
        let former = registry
        let json = what == "items/add" ? Self.keys.dropLast() + rest + "}" : "{\"v\":1,\"transaction\":7" + rest + "}"
        #expect(throws: Refused(sentence)) { try change(what, String(json)) }
        #expect(registry.items == former.items && registry.revision == former.revision)
        let imported = "{\"items\":[\(json)]}"
        if what == "items/add" { #expect(throws: Refused(sentence)) { try change("items/import", imported) } }
    }

    @Test mutating func `an import of items that are all refused is no change`() throws {
        let taken = #"{"items":[{"name":"A","uuid":"\#(TestSite.bag.uuid)","major":1,"minor":2}]}"#
        let change = try #require(try change("items/import", taken))
        #expect(change.items.isEmpty && change.regions.isEmpty)
        let response = try #require(change.response as? ImportResponse)
        #expect(response.added == 0 && response.refused.count == 1)
    }

    @Test mutating func `a request about anything else is none of the registry's`() throws {
        for what in ["alive", "items/acknowledge", "gateways/remove", "history"] {
            let change = try change(what, "{}")
            #expect(change == nil, "\(what)")
        }
    }

    @Test mutating func `two registries differ in the entries that were added, changed or removed`() throws {
        let former = registry
        _ = try change("items/add", Self.keys)
        _ = try change("regions/add", #"{"identifier":"Office","uuid":"\#(SharedSite.uuid)","major":77}"#)
        let differences = registry.differences(from: former)
        #expect(differences.items == ["keys"] && differences.regions == ["office"])
        #expect(registry.differences(from: registry).items.isEmpty)
    }
}
