import Beacons
import Doctor
import Messages
import Testing

@testable import SiteClient

/// What `forgetmenot doctor` says of what the broker keeps.
struct SiteExaminationTests {
    private func stamp() throws -> Stamp {
        Stamp(at: WallTime(milliseconds: 0), boot: try #require(Boot("17.kfqx")), uptime: .zero)
    }

    /// A site of two gateways whose aggregator runs; `change` says what is wrong with the kitchen's.
    private func view(
        aggregator: Availability = .online, kitchen: Availability = .online,
        _ change: (inout GatewayInfo) -> Void = { _ in }
    ) throws -> SiteView {
        var view = SiteView()
        view.take(.aggregatorAvailability, Array(aggregator.rawValue.utf8))
        view.take(
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
            view.take(.gatewayAvailability(gateway: id), Array((id == "kitchen" ? kitchen : .online).rawValue.utf8))
            view.take(.gatewayInfo(gateway: id), info.bytes)
        }
        return view
    }

    /// The sentences that are wrong, by what they are about.
    private func wrong(_ view: SiteView) -> [String: String] {
        let wrong = SiteExamination(view: view, version: "1.0.0").findings().filter { $0.verdict == .wrong }
        return Dictionary(uniqueKeysWithValues: wrong.map { ($0.subject, $0.sentence) })
    }

    @Test func `a site where all is well has a line for each gateway, and nothing is wrong`() throws {
        let findings = SiteExamination(view: try view(), version: "1.0.0").findings()
        #expect(findings.map(\.subject) == ["aggregator", "gateways", "gateway hall", "gateway kitchen", "versions"])
        #expect(findings.allSatisfy { $0.verdict == .right }, "\(findings)")
    }

    @Test func `an aggregator with a standby names both, and one that has lost its standby is reported`() throws {
        func finding(_ standby: [String]) throws -> (Bool, String) {
            var view = try view()
            let info = AggregatorInfo(
                version: "1.0.0", stamp: try stamp(), items: 3, gatewaysAlive: 2, gatewaysGone: 0, revision: 1,
                active: "left", standby: standby)
            view.take(.aggregatorInfo, info.bytes)
            let first = SiteExamination(view: view, version: "1.0.0").findings()[0]
            return (first.verdict == .right, first.sentence)
        }
        #expect(
            try finding(["right"]) == (true, "runs, version 1.0.0, with 3 items; left is active, on standby: right"))
        let (isRight, sentence) = try finding([])
        #expect(!isRight && sentence.contains("no other is on standby"))
    }

    @Test func `an empty broker has neither aggregator nor gateways`() {
        #expect(wrong(SiteView()).keys.sorted() == ["aggregator", "gateways"])
    }

    @Test func `each thing that is wrong is said of whom it concerns`() throws {
        #expect(try wrong(view(aggregator: .offline)).keys.sorted() == ["aggregator"])
        #expect(try wrong(view(kitchen: .offline))["gateway kitchen"]?.contains("gateways remove kitchen") == true)
        let blind = try wrong(
            view {
                $0.radio.state = .poweredOff; $0.radio.reason = "it is blocked by rfkill"
            })
        #expect(blind.keys.sorted() == ["gateway kitchen"])
        #expect(blind["gateway kitchen"]?.contains("powered_off: it is blocked by rfkill") == true)
        #expect(
            try wrong(view { $0.problems = ["the state folder is full"] }) == [
                "gateway kitchen": "the state folder is full"
            ])
        #expect(try wrong(view { $0.version = "0.9.0" })["versions"]?.contains("kitchen is 0.9.0") == true)
    }

    @Test func `a heartbeat that ran out is no gateway that is online`() throws {
        var view = try view()
        view.take(.gatewayInfo(gateway: "hall"), [])
        view.take(.aggregatorInfo, [])
        let wrong = wrong(view)
        #expect(wrong.keys.sorted() == ["aggregator", "gateway hall"])
        #expect(wrong.values.allSatisfy { $0.contains("expired") }, "\(wrong)")
    }

    @Test func `what a gateway says of itself moves no cursor`() throws {
        #expect(try wrong(view { $0.problems = ["a\u{1B}[2Jb"] }) == ["gateway kitchen": "a\u{FFFD}[2Jb"])
    }
}
