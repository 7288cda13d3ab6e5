import HomeAssistant
import Messages
import SiteTestSupport
import Testing

@testable import SiteCore

/// A site whose items several aggregators locate.
struct DividedSiteTests {
    private typealias Site = SharedSite
    private static let items =
        Site.item("Bag", major: 1) + Site.item("Keys", major: 2) + Site.item("Wallet", major: 3)
    private static let north = "name = \"north\"\n" + Site.share(1)
    private static let south = "name = \"south\"\n" + Site.share(2)

    /// The aggregator without a name, and two with a share each; the wallet is in no share.
    private func site() -> Site {
        var site = Site()
        site.start(Self.items)
        site.advance(to: 5)
        site.start(Self.north)
        site.start(Self.south)
        site.gateway("kitchen", room: "Kitchen")
        site.gateway("hall", room: "Hall")
        site.advance(to: 12)
        return site
    }

    private func enterAll(_ site: inout Site, at gateway: String) {
        for major: UInt16 in 1...3 { site.beacon(Site.beacon(major, 1), .enter, at: gateway) }
    }

    @Test func `each item is located by the aggregator that has its beacon, and by no other`() {
        var site = site()
        let before = site.published.count
        enterAll(&site, at: "kitchen")
        site.advance(to: 60)
        #expect(site.publishers(of: "bag", since: before) == ["north"])
        #expect(site.publishers(of: "keys", since: before) == ["south"])
        #expect(site.publishers(of: "wallet", since: before) == [""])
        for item in ["bag", "keys", "wallet"] { #expect(site.location(of: item)?.room == "Kitchen", "\(item)") }
        #expect(site.info(of: "")?.items == 1 && site.info(of: "north")?.items == 1)
    }

    @Test func `an aggregator receives the ranged states of its share alone`() {
        var site = site()
        for second in 13...40 {
            for major: UInt16 in 1...3 { site.ranged(Site.beacon(major, 1), at: "kitchen") }
            site.advance(to: Double(second))
        }
        #expect(site.members["north"]?.rangedStates == 28)
        #expect(site.members["south"]?.rangedStates == 28)
        #expect(site.members[""]?.rangedStates == 28 * 3, "without [[subscribe]] it receives everything")
    }

    @Test func `each leaving and each return is one event of one aggregator`() {
        var site = site()
        enterAll(&site, at: "kitchen")
        site.advance(to: 60)
        for major: UInt16 in 1...3 { site.beacon(Site.beacon(major, 1), .exit, at: "kitchen") }
        site.advance(to: 120)
        enterAll(&site, at: "hall")
        site.advance(to: 180)
        #expect(site.events(of: "bag") == ["north left", "north returned"])
        #expect(site.events(of: "keys") == ["south left", "south returned"])
        #expect(site.events(of: "wallet") == [" left", " returned"])
    }

    @Test
    func
        `an aggregator that is killed loses and repeats no event, and takes what happened meanwhile from the gateways`()
    {
        var site = site()
        enterAll(&site, at: "kitchen")
        site.advance(to: 60)
        site.kill("north")
        for major: UInt16 in 1...3 { site.beacon(Site.beacon(major, 1), .exit, at: "kitchen") }
        site.advance(to: 120)
        #expect(site.events(of: "keys") == ["south left"], "the others go on")
        #expect(site.events(of: "bag") == [], "nobody takes over")
        #expect(site.retained["forgetmenot/aggregators/north/availability"] == Array("offline".utf8))
        site.start(Self.north)
        site.advance(to: 180)
        #expect(site.events(of: "bag") == ["north left"])
        #expect(site.location(of: "bag")?.presence == .away)
    }

    @Test func `the aggregator without a name leaves the items of a dead aggregator alone after its own restart`() {
        var site = site()
        enterAll(&site, at: "kitchen")
        site.advance(to: 60)
        site.kill("north")
        site.kill("")
        site.start(Self.items)
        let before = site.published.count
        site.gateway("kitchen", room: "Kitchen")
        site.advance(to: 500)
        #expect(site.publishers(of: "bag", since: before) == [])
        #expect(site.location(of: "bag")?.room == "Kitchen", "the last known location stays")
    }

    @Test func `only the aggregator without a name writes the registry, and the others follow it`() throws {
        var site = site()
        let responses = site.ask(
            "items/add", "{\"name\":\"Hat\",\"uuid\":\"\(Site.uuid)\",\"major\":1,\"minor\":5}")
        #expect(responses.count == 1 && responses[0].hasPrefix(": "), "\(responses)")
        site.beacon(Site.beacon(1, 5), .enter, at: "hall")
        site.advance(to: 40)
        #expect(site.location(of: "hat")?.room == "Hall")
        #expect(site.publishers(of: "hat") == ["north"])
        _ = site.ask("items/remove", "{\"id\":\"hat\"}")
        site.advance(to: 60)
        #expect(site.location(of: "hat") == nil)
        let writers = site.published.filter {
            if case .registryItem = $0.topic { true } else { $0.topic == .registryManifest }
        }
        #expect(Set(writers.map(\.by)) == [""])
        #expect(site.info(of: "north")?.revision == site.info(of: "")?.revision)
    }

    @Test func `a request about an item gets one response, from the aggregator of the item`() throws {
        var site = site()
        enterAll(&site, at: "kitchen")
        site.advance(to: 60)
        for major: UInt16 in 1...3 { site.beacon(Site.beacon(major, 1), .exit, at: "kitchen") }
        site.advance(to: 120)
        for (item, name) in [("bag", "north"), ("keys", "south"), ("wallet", "")] {
            let responses = site.ask("history", "{\"id\":\"\(item)\"}")
            #expect(responses.count == 1 && responses[0].hasPrefix("\(name): "), "\(responses)")
            #expect(responses.first?.contains("\"left\"") == true, "\(responses)")
            #expect(site.ask("items/acknowledge", "{\"id\":\"\(item)\"}").count == 1)
        }
        for request in ["alive", "learning"] {
            #expect(site.ask(request, "{}").map { $0.prefix(1) } == [":"])
        }
        site.kill("north")
        let responses = site.ask("history", "{\"id\":\"bag\"}")
        #expect(
            responses.count == 1 && responses[0].contains("the aggregator north, which is not running"), "\(responses)")
    }

    @Test func `an aggregator publishes its locations again after one that knew nothing of its shares has started`()
        throws
    {
        var site = site()
        enterAll(&site, at: "kitchen")
        site.advance(to: 30)
        site.kill("")
        site.members[""]?.disk.files = [:]
        site.start(Self.items)
        // Before the shares arrive, it may publish every item.
        var location = try #require(site.location(of: "bag"))
        (location.presence, location.room) = (.unknown, nil)
        site.deliver(.itemLocation(item: "bag"), location.bytes)
        #expect(site.location(of: "bag")?.presence == .unknown)
        site.advance(to: 38)
        #expect(site.location(of: "bag")?.room == "Kitchen")
        let before = site.published.count
        site.advance(to: 70)
        #expect(!site.publishers(of: "bag", since: before).contains(""))
    }

    @Test func `an aggregator repeats its shares with its heartbeat`() {
        var site = site()
        site.deliver(.namedShares(aggregator: "north"), [])
        #expect(site.info(of: "")?.items == 2, "nobody else has the share now")
        site.advance(to: 45)
        #expect(site.retained["forgetmenot/aggregators/north/shares"] != nil)
        #expect(site.info(of: "")?.items == 1)
    }

    @Test func `a gateway that was removed is forgotten by all aggregators`() {
        var site = site()
        site.endGateway("hall")
        site.advance(to: 100)
        #expect(site.ask("gateways/remove", "{\"id\":\"hall\"}").count == 1)
        site.advance(to: 140)
        for name in ["", "north", "south"] { #expect(site.info(of: name)?.gatewaysGone == 0, "\(name)") }
        let clearings = site.published.filter { $0.topic == .gatewayInfo(gateway: "hall") }
        #expect(clearings.map(\.by) == [""])
    }

    // MARK: Overlaps

    @Test func `two aggregators with one share report the overlap, and one of them locates the items`() throws {
        var site = site()
        enterAll(&site, at: "kitchen")
        site.advance(to: 60)
        site.start("name = \"other\"\n" + Site.share(1))
        site.advance(to: 70)
        let before = site.published.count
        site.beacon(Site.beacon(1, 1), .exit, at: "kitchen")
        site.advance(to: 130)
        for name in ["north", "other"] {
            let problems = site.info(of: name)?.problems ?? []
            #expect(
                problems.contains { $0.contains("overlap in the beacons \(Site.uuid)/1: north locates") }, "\(problems)"
            )
            #expect(site.logged.contains { $0.contains(" \(name): ") && $0.contains("overlap") })
        }
        #expect(site.info(of: "south")?.problems == [])
        #expect(site.publishers(of: "bag", since: before) == ["north"])
        #expect(site.events(of: "bag") == ["north left"])
    }

    @Test func `the share with a major takes its items out of the share of the whole uuid`() throws {
        var site = Site()
        site.start(Self.items)
        site.start("name = \"all\"\n" + Site.share())
        site.gateway("kitchen", room: "Kitchen")
        site.advance(to: 10)
        enterAll(&site, at: "kitchen")
        site.advance(to: 40)
        #expect(site.publishers(of: "bag").contains("all"))
        site.start("name = \"one\"\n" + Site.share(1))
        site.advance(to: 60)
        let before = site.published.count
        for _ in 0..<3 {
            for major: UInt16 in 1...3 { site.ranged(Site.beacon(major, 1), at: "kitchen") }
            site.advance(to: site.now + 10)
        }
        site.beacon(Site.beacon(1, 1), .exit, at: "kitchen")
        site.beacon(Site.beacon(2, 1), .exit, at: "kitchen")
        site.advance(to: site.now + 60)
        #expect(site.publishers(of: "bag", since: before) == ["one"])
        #expect(site.publishers(of: "keys", since: before) == ["all"])
        #expect(site.events(of: "bag") == ["one left"] && site.events(of: "keys") == ["all left"])
        #expect(site.info(of: "all")?.problems.contains { $0.contains("one locates their items") } == true)
    }

    @Test func `an overlap ends when one of the two gives its share up`() {
        var site = site()
        site.start("name = \"a\"\n" + Site.share(1))
        site.advance(to: 20)
        #expect(site.info(of: "north")?.problems.count == 1)
        site.kill("a")
        site.deliver(.namedShares(aggregator: "a"), [])
        site.advance(to: 30)
        #expect(site.info(of: "north")?.problems == [])
        site.beacon(Site.beacon(1, 1), .enter, at: "hall")
        site.advance(to: 60)
        #expect(site.location(of: "bag")?.room == "Hall")
    }

    @Test func `an item that is in no share is reported by its name, and its location has an error`() throws {
        var site = Site()
        site.start(Site.share(7) + Self.items)
        site.start(Self.north)
        site.gateway("kitchen", room: "Kitchen")
        site.advance(to: 12)
        enterAll(&site, at: "kitchen")
        site.advance(to: 40)
        let problems = try #require(site.info(of: "")?.problems)
        #expect(
            problems == ["no aggregator subscribes to the beacons of keys, wallet: write their uuid in a [[subscribe]]"]
        )
        #expect(site.location(of: "keys")?.error?.contains("No aggregator subscribes") == true)
        #expect(site.location(of: "bag")?.error == nil)
        #expect(site.members[""]?.rangedStates == 0)
    }

    @Test func `the shares of an aggregator that the broker no longer knows are given up after five minutes`() {
        var site = site()
        site.kill("north")
        site.stop("")
        site.deliver(.namedShares(aggregator: "north"), [])
        site.start(Self.items)
        site.gateway("kitchen", room: "Kitchen")
        site.advance(to: site.now + 290)
        let before = site.published.count
        #expect(site.info(of: "")?.items == 1)
        site.advance(to: site.now + 50)
        #expect(site.info(of: "")?.items == 2)
        #expect(site.publishers(of: "bag", since: before) == [""])
    }

    // MARK: Home Assistant

    @Test func `each aggregator announces the devices of its own items, and none clears another's`() throws {
        var site = site()
        enterAll(&site, at: "kitchen")
        site.advance(to: 80)
        func topic(_ id: DeviceID) -> String { "homeassistant/device/\(id.text)/config" }
        func writers(_ id: DeviceID) -> Set<String> { Set(site.discovery.filter { $0.topic == topic(id) }.map(\.by)) }
        site.gateway("bath", room: "Bath")
        site.advance(to: 90)
        for id in [DeviceID.aggregator, .gateway("kitchen"), .gateway("bath")] { #expect(writers(id) == [""]) }
        #expect(site.discovery.allSatisfy { !$0.payload.isEmpty }, "a device is handed over without a break")
        let before = site.discovery.count
        for (item, name) in [("bag", "north"), ("keys", "south"), ("wallet", "")] {
            let payload = String(decoding: try #require(site.retained[topic(.item(item))]), as: UTF8.self)
            let own = name.isEmpty ? "aggregator" : "aggregators/\(name)"
            #expect(payload.contains("forgetmenot/\(own)/availability"), "\(item)")
        }
        site.kill("")
        site.start(Self.items)
        site.kill("north")
        site.start(Self.north)
        site.gateway("kitchen", room: "Kitchen")
        site.advance(to: 200)
        #expect(site.discovery[before...].allSatisfy { !$0.payload.isEmpty })
        #expect(!site.discovery[before...].contains { $0.topic == topic(.item("bag")) && $0.by == "" })
    }

    @Test func `a change of the registry makes an aggregator with a name write that entry, and not its whole site`()
        throws
    {
        var site = Site()
        site.start((0..<300).map { Site.item("Thing \($0)", major: 1000 + UInt16($0)) }.joined())
        site.start(Self.north)
        site.advance(to: 100)
        #expect(try TestDisk.stored(#require(site.members["north"]).disk.files)?.items.count == 300)
        let (whole, written) = (
            site.members["north"]!.disk.files["site.json"], site.members["north"]!.disk.bytesWritten
        )
        _ = site.ask("items/add", #"{"name":"Cup","uuid":"\#(Site.uuid)","major":1,"minor":7}"#)
        site.advance(to: 200)
        let disk = site.members["north"]!.disk
        #expect(disk.files["site.json"] == whole)
        #expect(disk.bytesWritten - written < 2000, "\(disk.bytesWritten - written) bytes")
        #expect(try TestDisk.stored(disk.files)?.items.contains { $0.id == "cup" } == true)
    }

    @Test func `of many overlaps some are named in info, and the others counted`() {
        var site = Site()
        let shares = (1...40).map { Site.share($0) }.joined()
        site.start("name = \"north\"\n" + shares)
        site.start("name = \"south\"\n" + shares)
        site.advance(to: 12)
        let problems = (site.info(of: "north")?.problems ?? []).filter { $0.contains("overlap") }
        #expect(problems.count == 11)
        #expect(problems.last == "30 more overlaps of [[subscribe]]: correct these first")
    }
}
