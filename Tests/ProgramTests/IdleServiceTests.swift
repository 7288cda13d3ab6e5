import Beacons
import Glibc
import HCI
import Linux
import TestBroker
import Testing

/// A service that receives nothing has nothing to wake it but what it has to do itself.
@Suite(.enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
struct IdleServiceTests {
    /// An idle service wakes by itself every 30 s, for its heartbeat: a response that waits for that comes too late for this test.
    private static let patience = Interval.seconds(12)

    /// Waits for a heartbeat half a minute after the start: what a start leaves to be done is done then.
    private func waitForHeartbeat(on topic: String, _ observer: Observer) throws {
        try observer.wait(for: "a heartbeat", within: .seconds(120)) {
            guard let info = observer.latest[topic], let uptime = info.firstMatch(of: /"uptime_ms":([0-9]+)/)?.1 else {
                return false
            }
            return Int(uptime)! > 25_000
        }
    }

    @Test func `an idle gateway responds to a request for events that only its disk has before its next heartbeat`()
        throws
    {
        let site = try Site()
        _ = try Recording(in: site.folder, lasting: .seconds(5))
        let observer = try Observer(site.broker)
        let recording = "source = \"capture:recording.btsnoop\"\nspeed = \"fast\"\nat_end = \"stop\""
        let first = try Program.gateway.run(
            "run", "--config", site.gatewayFile("kitchen", room: "Kitchen", radio: recording, more: Site.region))
        #expect(first.status == 0, "\(first)")
        let info = "forgetmenot/gateways/kitchen/info"
        try observer.wait(for: "offline") { observer.latest["forgetmenot/gateways/kitchen/availability"] == "offline" }
        let boot = try #require(observer.latest[info]?.firstMatch(of: /"boot":"([^"]*)"/)?.1)

        try replaceFile(at: site.folder.path("silence.btsnoop"), with: BtsnoopWriter.header)
        let silence = "source = \"capture:silence.btsnoop\"\nat_end = \"silence\""
        let gateway = try Program.gateway.start(
            "run", "--config", site.gatewayFile("kitchen", room: "Kitchen", radio: silence, more: Site.region))
        try observer.wait(for: "another start") {
            observer.latest["forgetmenot/gateways/kitchen/availability"] == "online"
        }
        try waitForHeartbeat(on: info, observer)
        try observer.publish([
            ("forgetmenot/gateways/kitchen/request/events", #"{"boot":"\#(boot)","from_seq":1,"to_seq":5}"#, false)
        ])
        let response = "forgetmenot/gateways/kitchen/response/events"
        try observer.wait(for: "the answer", within: Self.patience) { observer.latest[response] != nil }
        #expect(observer.latest[response]?.contains("\"id\":\"\(boot)-1\"") == true)
        #expect(try gateway.ended(by: SIGTERM).status == 0)
    }

    @Test
    func
        `an idle aggregator responds to a request for events that it does not have in memory before its next heartbeat`()
        throws
    {
        let site = try Site()
        let observer = try Observer(site.broker)
        let aggregator = try site.startAggregator(["Ghost": Site.ghost])
        try observer.wait(forAllOf: ["forgetmenot/registry/manifest", "forgetmenot/items/ghost/location"])
        try waitForHeartbeat(on: "forgetmenot/aggregator/info", observer)
        let request = #"{"boot":"1.aaaa","from_seq":1,"to_seq":5}"#
        try observer.publish([("forgetmenot/aggregator/request/events", request, false)])
        try observer.wait(for: "the answer", within: Self.patience) {
            observer.latest["forgetmenot/aggregator/response/events"] != nil
        }
        #expect(try aggregator.ended(by: SIGTERM).status == 0)
    }
}
