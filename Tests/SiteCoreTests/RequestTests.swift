import Beacons
import Messages
import Testing

@testable import SiteCore

@Suite("Requests")
struct RequestTests {
    private let uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
    private var keys: String { #"{"name":"Keys","uuid":"\#(uuid)","major":7,"minor":8}"# }

    /// The page, which has the history, responds to the two others.
    @Test(arguments: SiteRequest.allCases.filter { ![.stays, .forgotten].contains($0) })
    func `a request that has a name is carried out, or refused for what is in it`(request: SiteRequest) {
        var site = TestSite("")
        let response = site.ask(request.rawValue, "{}")
        #expect(response.isEmpty == false && !response.contains("does not respond"), "\(response)")
    }

    @Test func `an item that is renamed keeps its id, its place and its history`() throws {
        var site = TestSite("")
        _ = site.ask("items/add", #"{"name":"Laptop bag","uuid":"\#(uuid)","major":1,"minor":2}"#)
        site.gateway("kitchen", room: "Kitchen")
        site.event(.enter, at: "kitchen")
        site.ranged(at: "kitchen")
        site.event(.exit, at: "kitchen")
        site.advance(to: site.now + 2)
        let response = site.ask("items/rename", #"{"name":"Laptop bag","new_name":" Work bag ","transaction":3}"#)
        #expect(response.contains(#""ok":true"#) && response.contains(#""id":"laptop-bag","name":"Work bag""#))
        #expect(response.contains(#""transaction":3"#))
        #expect(site.published(on: .registryItem("laptop-bag")).last?.contains("Work bag") == true)
        #expect(site.published(on: .registryManifest).last?.contains(#""revision":3"#) == true)
        site.advance(to: site.now + 2)
        #expect(site.location?.name == "Work bag" && site.location?.presence == .away)
        let history = site.ask("history", #"{"name":"Work bag"}"#)
        #expect(history.contains(#""event_type":"left""#) && history.contains(#""more":false"#))
    }

    @Test(arguments: [
        (#"{"name":"Nothing","new_name":"Bag"}"#, "no item"),
        (#"{"name":"Keys","new_name":"  "}"#, "name is empty"),
        (#"{"name":"Keys","new_name":"\u2060 \u200b\u3164"}"#, "name is empty"),
        (#"{"name":"Keys","new_name":"Laptop bag"}"#, "another name"),
        (#"{"name":"Keys","new_name":"Lap\u200btop\u2060 bag"}"#, #"an item \"Laptop bag\" already"#),
        (#"{"name":"Laptop bag","new_name":"Bag"}"#, "test.toml:1"),
        (#"{"name":"Keys","new_name":"a\u0007b"}"#, "control character"),
        (#"{"name":"Keys"}"#, "new_name"),
    ])
    func `an impossible rename is refused in one sentence`(request: String, reason: String) {
        var site = TestSite()
        _ = site.ask("items/add", keys)
        let response = site.ask("items/rename", request)
        #expect(response.contains(#""ok":false"#) && response.contains(reason), "\(response)")
        #expect(site.pipeline.registry.revision == 2)
    }

    @Test func `a name with other invisible characters than the item's names the item, each time`() throws {
        var site = TestSite()
        _ = site.ask("items/add", keys)
        for name in ["K\u{200B}eys", "Keys\u{2060}", "Keys"] {
            let response = site.ask("items/rename", #"{"name":"\#(name)","new_name":"Ke\u00adys"}"#)
            #expect(response.contains(#""ok":true"#) && response.contains(#""id":"keys""#), "\(response)")
        }
        // What differs visibly is another name: here it makes a family of two people.
        #expect("\u{1F468}\u{200D}\u{1F467}".visible != "\u{1F468}\u{1F467}".visible)
    }

    @Test func `an edit changes the named notification settings of an item, and the rest stays`() throws {
        var site = TestSite()
        _ = site.ask("items/add", keys)
        let added = try #require(site.pipeline.registry.items["keys"]?.notify)
        let response = site.ask(
            "items/edit",
            #"{"name":"Keys","measured_power_dbm":-70,"notify":{"returned":true,"repeat_s":null,"left_text":"Keys!"}}"#)
        #expect(response.contains(#""ok":true"#) && response.contains(#""left_text":"Keys!""#), "\(response)")
        let edited = try #require(site.pipeline.registry.items["keys"])
        #expect(edited.measuredPower?.dBm == -70)
        var requested = added
        (requested.returned, requested.repeatSeconds, requested.leftText) = (true, nil, "Keys!")
        #expect(edited.notify == requested)
        #expect(site.published(on: .registryItem("keys")).last?.contains(#""left_text":"Keys!""#) == true)
        #expect(site.published(on: .registryManifest).last?.contains(#""revision":3"#) == true)

        _ = site.ask("items/edit", #"{"id":"keys","measured_power_dbm":null,"notify":{"left_text":null}}"#)
        #expect(site.pipeline.registry.items["keys"]?.measuredPower == nil)
        #expect(site.pipeline.registry.items["keys"]?.notify?.leftText == nil)
        #expect(site.ask("items/edit", #"{"id":"keys","notify":{"returned":true}}"#).contains(#""ok":true"#))
        #expect(site.pipeline.registry.revision == 4)
        _ = site.ask("items/edit", #"{"id":"keys","notify":null}"#)
        #expect(site.pipeline.registry.items["keys"]?.notify == nil)
    }

    @Test(arguments: [
        (#"{"name":"Nothing","notify":{"left":true}}"#, "no item"),
        (#"{"name":"Laptop bag","notify":{"left":true}}"#, "test.toml:1"),
        (#"{"name":"Keys","notify":{"left":"yes"}}"#, "left"),
        (#"{"name":"Keys","notify":{"after_s":-1}}"#, "after_s"),
        (#"{"name":"Keys","notify":{"from":"25:00"}}"#, "from"),
        (#"{"name":"Keys","notify":{"from":"07:00"}}"#, "notify.to"),
        (#"{"name":"Keys","notify":{"to":"07:00"}}"#, "notify.from"),
        (#"{"name":"Keys","notify":{"from":"07:00","to":"07:00"}}"#, "two times that differ"),
        (#"{"name":"Keys","notify":true}"#, "notify"),
        (#"{"name":"Keys","measured_power_dbm":4}"#, "measured_power_dbm"),
        (#"{"name":"Keys","minor":9}"#, "minor"),
        (#"{"name":"Keys"}"#, "The request changes nothing."),
        ("rubbish", "name"),
    ])
    func `an impossible edit is refused in one sentence, and changes nothing`(request: String, reason: String) {
        var site = TestSite()
        _ = site.ask("items/add", keys)
        let before = site.pipeline.registry.items["keys"]
        let response = site.ask("items/edit", request)
        #expect(response.contains(#""ok":false"#) && response.contains(reason), "\(response)")
        #expect(site.pipeline.registry.revision == 2 && site.pipeline.registry.items["keys"] == before)
    }

    @Test(arguments: ["items/add", "items/remove", "learning/forget", "alive", "history", "tea"])
    func `a request that cannot be read, or has another v, is refused, and nothing is done`(what: String) {
        var site = TestSite()
        _ = site.ask("items/add", keys)
        for (rest, sentence) in [
            ("\"id\":\"keys\"", "not JSON that can be read"), ("\"a\":1,\"a\":2}", "a key twice"),
            ("\"v\":99}", "\\\"v\\\" is not 1"),
        ] {
            let response = site.ask(what, "{\"transaction\":18446744073709551615," + rest)
            #expect(response.contains(#""ok":false"#) && response.contains(sentence), "\(response)")
            #expect(response.contains(#""transaction":18446744073709551615}"#), "\(response)")
        }
        #expect(site.pipeline.registry.revision == 2)
        for text in ["", "PRESS", "1"] { #expect(site.ask("learning/forget", text).contains(#""ok":true"#)) }
    }

    @Test func `a name of emoji that are joined is accepted`() {
        var site = TestSite()
        #expect(site.ask("items/add", keys.replacing("Keys", with: "👩‍🚀❤️")).contains(#""name":"👩‍🚀❤️""#))
    }

    @Test func `half a window of hours is refused, and one that is stored hinders no other change`() throws {
        var site = TestSite()
        let half = keys.dropLast() + #","notify":{"left":true,"from":"07:00"}}"#
        for _ in 0..<2 { #expect(site.ask("items/add", String(half)).contains("notify.to")) }
        #expect(site.pipeline.registry.items["keys"] == nil)
        let stored =
            #"{"v":1,"id":"keys","name":"Keys","uuid":"\#(uuid)","major":1,"minor":9,"notify":{"from":"07:00"}}"#
        let item = try RegistryItem(parsing: Array(stored.utf8), on: .registryItem("keys"))
        let changes = { (text: String) in try #require(try JSONValue(parsing: Array(text.utf8)).object) }
        func edited(_ text: String) throws -> RegistryItem {
            try EditedItem(NameOrID(name: "keys"), changes: try changes(text)).applied(to: item)
        }
        #expect(try edited(#"{"notify":{"left":true}}"#).notify?.left == true)
        #expect(try edited(#"{"notify":{"to":"21:00"}}"#).notify?.to?.description == "21:00")
        #expect(throws: PayloadRefusal.missing("notify.to")) { try edited(#"{"notify":{"from":"08:00"}}"#) }
    }

    @Test func `a region is added for all gateways, and leaves nothing behind when it is removed`() {
        var site = TestSite()
        let response = site.ask(
            "regions/add", #"{"identifier":"电","uuid":"\#(uuid)","major":1,"notify_on_exit":false}"#)
        let region = site.pipeline.registry.regions.values.first
        #expect(response.contains(#""ok":true"#) && region?.id.hasPrefix("region-") == true, "\(response)")
        #expect(region?.notifyOnEntry == true && region?.notifyOnExit == false)
        let id = region?.id ?? ""
        #expect(site.published(on: .registryRegion(id)).count == 1)
        #expect(site.published(on: .registryManifest).last?.contains("\"regions\":[\"\(id)\"]") == true)
        #expect(site.ask("regions/add", #"{"identifier":"电","uuid":"\#(uuid)"}"#).contains("another name"))
        #expect(site.ask("regions/add", #"{"identifier":"X","uuid":"\#(uuid)","minor":1}"#).contains("major"))
        #expect(site.ask("regions/remove", #"{"name":"电"}"#).contains(#""ok":true"#))
        #expect(site.published(on: .registryRegion(id)).last == "")
        #expect(site.published(on: .registryManifest).last?.contains(#""regions":[]"#) == true)
        #expect(site.ask("regions/remove", #"{"name":"电"}"#).contains("no region"))
    }

    @Test func `a configured region is not removed by command`() {
        var site = TestSite("[[region]]\nidentifier = \"Bags\"\nuuid = \"\(uuid)\"\n")
        #expect(site.ask("regions/remove", #"{"id":"bags"}"#).contains("test.toml:1"))
    }

    @Test func `history comes a page at a time, of one item or of all, since when one wants`() throws {
        var site = TestSite(TestSite.bagItem)
        site.gateway("kitchen", room: "Kitchen")
        for _ in 0..<60 {
            site.event(.enter, at: "kitchen")
            site.ranged(at: "kitchen")
            site.advance(to: site.now + 2)
            site.event(.exit, at: "kitchen")
            site.heartbeat("kitchen", room: "Kitchen")
            site.advance(to: site.now + 2)
        }
        func page(_ asked: String) throws -> HistoryResponse {
            guard
                case .done(let page) = try Response<HistoryResponse>(parsing: Array(site.ask("history", asked).utf8))
                    .outcome
            else { throw NoResponse() }
            return page
        }
        let all = site.events
        #expect(all.count == 119)
        let first = try page("")
        #expect(first.events == Array(all[..<100]) && first.more)
        let second = try page(#"{"id":"laptop-bag","after":"\#(first.events.last!.id)"}"#)
        #expect(second.events == Array(all[100...]) && !second.more)
        let late = try page(#"{"since":"\#(all[110].stamp.at)"}"#)
        #expect(late.events == Array(all[110...]) && !late.more)
        #expect(site.ask("history", #"{"name":"Nothing"}"#).contains("no item"))
        #expect(site.ask("history", #"{"since":"yesterday"}"#).contains("since"))
    }

    private struct NoResponse: Error {}

    @Test func `an unexpected packet is acknowledged, too`() {
        var site = TestSite()
        #expect(site.ask("items/polish", "{}").contains(#""ok":false"#))
    }
}
