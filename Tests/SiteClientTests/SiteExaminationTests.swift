import Beacons
import Doctor
import Messages
import Testing

@testable import SiteClient

/// What `forgetmenot doctor` reports of what the broker retains.
struct SiteExaminationTests {
    private func stamp() throws -> Stamp {
        Stamp(at: WallTime(milliseconds: 0), boot: try #require(Boot("17.kfqx")), uptime: .zero)
    }

    /// A site of two gateways whose aggregator runs; `change` breaks something of the kitchen's.
    private func view(
        aggregator: Availability = .online, kitchen: Availability = .online,
        _ change: (inout GatewayInfo) -> Void = { _ in }
    ) throws -> SiteView {
        var view = SiteView()
        view.receive(.aggregatorAvailability, Array(aggregator.rawValue.utf8))
        view.receive(
            .aggregatorInfo,
            AggregatorInfo(
                version: "1.0.0", stamp: try stamp(), items: 3, gatewaysAlive: 2, gatewaysGone: 0, revision: 1
            )
            .bytes)
        for id in ["hall", "kitchen"] {
            var info = GatewayInfo(
                gateway: id, room: id, version: "1.0.0", stamp: try stamp(),
                radio: GatewayInfo.Radio(source: "bluez:hci0", state: .poweredOn), regions: 1)
            if id == "kitchen" { change(&info) }
            view.receive(.gatewayAvailability(gateway: id), Array((id == "kitchen" ? kitchen : .online).rawValue.utf8))
            view.receive(.gatewayInfo(gateway: id), info.bytes)
        }
        return view
    }

    /// The sentences of the failed findings, by subject.
    private func failed(_ view: SiteView) -> [String: String] {
        let failed = SiteExamination(view: view, version: "1.0.0").findings().filter { $0.verdict == .failed }
        return Dictionary(uniqueKeysWithValues: failed.map { ($0.subject, $0.sentence) })
    }

    @Test func `a site where all is well has a line for each gateway, and nothing is wrong`() throws {
        let findings = SiteExamination(view: try view(), version: "1.0.0").findings()
        #expect(findings.map(\.subject) == ["aggregator", "gateways", "gateway hall", "gateway kitchen", "versions"])
        #expect(findings.allSatisfy { $0.verdict == .passed }, "\(findings)")
    }

    @Test func `a gateway is in the room that the aggregator's configuration gives to it, as long as it does`() throws {
        var view = try view()
        for room in ["Ward 0", "Ward 1", nil] {
            var info = AggregatorInfo(
                version: "1.0.0", stamp: try stamp(), items: 3, gatewaysAlive: 2, gatewaysGone: 0, revision: 1)
            info.rooms["kitchen"] = room
            view.receive(.aggregatorInfo, info.bytes)
            #expect(view.room(of: "kitchen") == room ?? "kitchen" && view.room(of: "hall") == "hall")
            let finding = SiteExamination(view: view, version: "1.0.0").findings().first {
                $0.subject == "gateway kitchen"
            }
            #expect(finding?.sentence == "receives with bluez:hci0 in \(room ?? "kitchen")")
        }
    }

    @Test func `each aggregator with a name has a line, with its problems and whether it runs`() throws {
        var view = try view()
        func info(_ problems: [String] = []) throws -> [UInt8] {
            AggregatorInfo(
                version: "1.0.0", stamp: try stamp(), items: 4, gatewaysAlive: 2, gatewaysGone: 0, revision: 1,
                problems: problems
            ).bytes
        }
        let uuid = try #require(BeaconUUID("f7826da6-4fa2-4e98-8024-bc5b71e0893e"))
        view.receive(.namedAvailability(aggregator: "north"), Availability.online.bytes)
        view.receive(.namedShares(aggregator: "north"), BeaconShares(shares: [BeaconShare(uuid: uuid, major: 1)]).bytes)
        view.receive(.namedInfo(aggregator: "north"), try info())
        let findings = SiteExamination(view: view, version: "1.0.0").findings()
        #expect(findings[1].subject == "aggregator north" && findings[1].verdict == .passed, "\(findings[1])")
        #expect(findings[1].sentence == "runs, version 1.0.0, with 4 items of 1 share")
        view.receive(.namedInfo(aggregator: "north"), try info(["shares overlap"]))
        #expect(failed(view)["aggregator north"] == "shares overlap")
        view.receive(.namedAvailability(aggregator: "north"), Availability.offline.bytes)
        #expect(failed(view)["aggregator north"]?.hasPrefix("does not run") == true)
        view.receive(.namedShares(aggregator: "north"), [])
        #expect(failed(view)["aggregator north"]?.hasPrefix("has no share") == true)
        view.receive(.namedAvailability(aggregator: "north"), [])
        view.receive(.namedInfo(aggregator: "north"), [])
        #expect(failed(view) == [:])
    }

    @Test func `locations are old only if the aggregator of one of the items is dead`() throws {
        var view = try view()
        let uuid = try #require(BeaconUUID("f7826da6-4fa2-4e98-8024-bc5b71e0893e"))
        for (id, major) in [("bag", 1), ("keys", 2)] as [(String, UInt16)] {
            let item = RegistryItem(id: id, name: id, beacon: BeaconIdentity(uuid: uuid, major: major, minor: 1))
            view.receive(.registryItem(id), item.bytes)
            let location = ItemLocation(item: id, name: id, presence: .home, stamp: try stamp())
            view.receive(.itemLocation(item: id), location.bytes)
        }
        view.receive(.namedShares(aggregator: "north"), BeaconShares(shares: [BeaconShare(uuid: uuid, major: 1)]).bytes)
        view.receive(.namedAvailability(aggregator: "north"), Availability.offline.bytes)
        #expect(view.deadAggregators(of: view.locations.values) == ["north"])
        #expect(view.deadAggregators(of: view.locations.values.filter { $0.item == "keys" }) == [])
    }

    @Test func `an aggregator with a standby names both, and one that has lost its standby is reported`() throws {
        func finding(_ standby: [String]) throws -> (Bool, String) {
            var view = try view()
            let info = AggregatorInfo(
                version: "1.0.0", stamp: try stamp(), items: 3, gatewaysAlive: 2, gatewaysGone: 0, revision: 1,
                active: "left", standby: standby)
            view.receive(.aggregatorInfo, info.bytes)
            let first = SiteExamination(view: view, version: "1.0.0").findings()[0]
            return (first.verdict == .passed, first.sentence)
        }
        #expect(
            try finding(["right"]) == (true, "runs, version 1.0.0, with 3 items; left is active, on standby: right"))
        let (isRight, sentence) = try finding([])
        #expect(!isRight && sentence.contains("no other is on standby"))
    }

    @Test func `an empty broker has neither aggregator nor gateways`() {
        #expect(failed(SiteView()).keys.sorted() == ["aggregator", "gateways"])
    }

    @Test func `each problem is reported for the program that it concerns`() throws {
        #expect(try failed(view(aggregator: .offline)).keys.sorted() == ["aggregator"])
        #expect(try failed(view(kitchen: .offline))["gateway kitchen"]?.contains("gateways remove kitchen") == true)
        let blind = try failed(
            view {
                $0.radio.state = .poweredOff; $0.radio.reason = "it is blocked by rfkill"
            })
        #expect(blind.keys.sorted() == ["gateway kitchen"])
        #expect(blind["gateway kitchen"]?.contains("powered_off: it is blocked by rfkill") == true)
        #expect(
            try failed(view { $0.problems = ["the state folder is full"] }) == [
                "gateway kitchen": "the state folder is full"
            ])
        #expect(try failed(view { $0.version = "0.9.0" })["versions"]?.contains("kitchen is 0.9.0") == true)
    }

    @Test func `a heartbeat that ran out is no gateway that is online`() throws {
        var view = try view()
        view.receive(.gatewayInfo(gateway: "hall"), [])
        view.receive(.aggregatorInfo, [])
        let failed = failed(view)
        #expect(failed.keys.sorted() == ["aggregator", "gateway hall"])
        #expect(failed.values.allSatisfy { $0.contains("expired") }, "\(failed)")
    }

    @Test func `a gateway's problem is printed without a terminal's commands`() throws {
        #expect(try failed(view { $0.problems = ["a\u{1B}[2Jb"] }) == ["gateway kitchen": "a\u{FFFD}[2Jb"])
    }
}
