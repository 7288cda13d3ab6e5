import Beacons
import Glibc
import Messages
import TestBroker
import Testing

/// What the programs remember over kills and power cuts, on a disk that is not always good.
@Suite(.enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
struct MemoryTests {
    private let state = "forgetmenot/regions/house/kitchen/state"
    private let info = "forgetmenot/gateways/kitchen/info"

    /// The run id of the gateway's latest start, from its info.
    private func boot(_ observer: Observer) -> Boot? {
        observer.latest[info].flatMap { try? GatewayInfo(parsing: Array($0.utf8)) }?.stamp.boot
    }

    private func events(_ observer: Observer, of topic: String) -> [String] {
        observer.seen.filter { $0.topic.contains(topic) && $0.topic.hasSuffix("/event") }.map(\.text)
    }

    @Test(arguments: [SIGKILL, SIGTERM])
    func `a gateway that comes back publishes which beacons are inside, without an event`(signal: Int32) throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        let first = try site.startGateway("kitchen", room: "Kitchen", more: Site.region)
        let (cat, house) = ("/\(Site.cat)/kitchen", "regions/house/kitchen")
        try observer.wait(for: "the enters") {
            !events(observer, of: cat).isEmpty && !events(observer, of: house).isEmpty
        }
        let before = try #require(boot(observer))
        _ = try first.ended(by: signal)
        let second = try site.startGateway("kitchen", room: "Kitchen", more: Site.region)
        try observer.wait(for: "the region's state of the next boot") {
            let latest = observer.latest[state].flatMap { try? RegionState(parsing: Array($0.utf8)) }
            return latest?.state == .inside && latest?.stamp.boot != before
        }
        // A window of its own, in which the cat is received again.
        try observer.wait(for: "the cat, ranged again") {
            observer.latest["forgetmenot/beacons/\(Site.cat)/kitchen/proximity"]
                .flatMap { try? RangedState(parsing: Array($0.utf8)) }.map { $0.stamp.boot != before } ?? false
        }
        _ = try second.ended(by: SIGTERM)
        // What was published just before a kill may come twice, with the same id: it is one event.
        #expect(Set(events(observer, of: cat)).count == 1, "\(events(observer, of: cat))")
        #expect(Set(events(observer, of: house)).count == 1)
    }

    @Test func `a gateway that is killed again and again loses and doubles no event, and its log has every run`() throws
    {
        let site = try Site()
        let observer = try Observer(site.broker)
        var boots: [Boot] = []
        for _ in 0..<6 {
            let gateway = try site.startGateway("kitchen", room: "Kitchen", more: Site.region)
            try observer.wait(for: "its info") { boot(observer).map { !boots.contains($0) } ?? false }
            boots.append(boot(observer)!)
            if boots.count == 1 {
                try observer.wait(for: "an enter") { !events(observer, of: "/\(Site.cat)/kitchen").isEmpty }
            }
            _ = try gateway.ended(by: SIGKILL)
        }
        #expect(boots.map(\.epoch) == Array(1...6))
        let last = try site.startGateway("kitchen", room: "Kitchen", more: Site.region)
        try observer.wait(for: "its info") { boot(observer).map { !boots.contains($0) } ?? false }
        let log = try GatewayInfo(parsing: Array(observer.latest[info]!.utf8)).log
        #expect(log.first?.boot == boots[0])
        try observer.publish([
            (
                "forgetmenot/gateways/kitchen/request/events", #"{"boot":"\#(boots[0])","from_seq":1,"to_seq":100}"#,
                false
            )
        ])
        let response = "forgetmenot/gateways/kitchen/response/events"
        try observer.wait(forAllOf: [response])
        let parsed = try Response<EventsResponse>(parsing: Array(observer.latest[response]!.utf8))
        guard case .done(let done) = parsed.outcome else { throw TestBrokerError("\(parsed)") }
        #expect(done.events.map(\.id.seq) == Array(1...log[0].seqs.to))
        // All that is listed was published, and all that was published of that run is listed.
        let published = Set(
            observer.seen.filter { $0.topic.hasSuffix("/event") }
                .compactMap { try? LoggedEvent(parsing: $0.payload) }.filter { $0.id.boot == boots[0] })
        #expect(published == Set(done.events))
        let transitions = events(observer, of: "/\(Site.cat)/kitchen")
        #expect(Set(transitions).count == 1)
        _ = try last.ended(by: SIGTERM)
    }

    @Test func `a service without a state folder reports that, works in memory, and writes its data later`()
        throws
    {
        let site = try Site()
        // Where the folder belongs stands a file.
        try site.folder.write("", to: "kitchen")
        let observer = try Observer(site.broker)
        let gateway = try site.startGateway("kitchen", room: "Kitchen", more: Site.region)
        let problems = { [info] in
            observer.latest[info].flatMap { try? GatewayInfo(parsing: Array($0.utf8)) }?.problems ?? []
        }
        try observer.wait(for: "an event from memory") { !events(observer, of: "/kitchen").isEmpty }
        try observer.wait(for: "the problem") { problems().contains { $0.contains("Not a directory") } }
        #expect(problems().count == 1, "\(problems())")
        unlink(site.folder.path("kitchen"))
        try observer.wait(for: "the problem's end") { problems().isEmpty }
        let before = try #require(boot(observer))
        _ = try gateway.ended(by: SIGKILL)
        let next = try site.startGateway("kitchen", room: "Kitchen", more: Site.region)
        try observer.wait(for: "the log of the boot before") {
            observer.latest[info].flatMap { try? GatewayInfo(parsing: Array($0.utf8)) }?.log
                .contains { $0.boot == before && $0.seqs.from == 1 } ?? false
        }
        _ = try next.ended(by: SIGTERM)
    }
}
