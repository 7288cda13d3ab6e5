import Beacons
import Messages
import Testing

@testable import GatewayCore

@Suite("Requests to a gateway")
struct RequestTests {
    private func responseText(_ gateway: TestGateway, _ what: String) -> String? {
        gateway.published(on: .gatewayResponse(gateway: "kitchen", what: what)).last
    }

    @Test func `the states of all regions come at once, and the transaction comes back`() {
        var gateway = TestGateway()
        gateway.receive(from: 1, to: 3)
        gateway.ask("regions/state", #"{"transaction":"abc"}"#, at: 4)
        let responseText = responseText(gateway, "regions/state")
        #expect(responseText?.contains(#""ok":true"#) == true)
        #expect(responseText?.contains(#""region":"bags","identifier":"Bags","state":"inside""#) == true)
        #expect(responseText?.contains(#""transaction":"abc""#) == true)
    }

    @Test func `received beacons are listed strongest first, monitored or not`() throws {
        var gateway = TestGateway()
        let stranger = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4)
        gateway.receive(rssi: -80, at: 1)
        gateway.receive(stranger, rssi: -50, at: 1)
        gateway.ask("beacons", "this is no JSON", at: 2)
        let response = try Response<BeaconsResponse>(parsing: Array(responseText(gateway, "beacons")!.utf8))
        guard case .done(let content) = response.outcome else { throw Unexpected() }
        #expect(content.beacons.map(\.beacon) == [stranger, TestGateway.bag])
        #expect(content.beacons.map(\.isMonitored) == [false, true])
    }

    @Test func `events are sent again by number, and events that never existed are listed as forgotten`() throws {
        var gateway = TestGateway()
        gateway.receive(from: 1, to: 3)
        gateway.ask("events", #"{"boot":"17.kfqx","from_seq":1,"to_seq":50}"#, at: 4)
        var response = try Response<EventsResponse>(parsing: Array(responseText(gateway, "events")!.utf8))
        guard case .done(let content) = response.outcome else { throw Unexpected() }
        #expect(content.events == gateway.events)
        #expect(content.forgotten.isEmpty)
        gateway.ask("events", #"{"boot":"16.abcd","from_seq":1,"to_seq":50}"#, at: 5)
        response = try Response<EventsResponse>(parsing: Array(responseText(gateway, "events")!.utf8))
        guard case .done(let other) = response.outcome else { throw Unexpected() }
        #expect(other.events.isEmpty)
        #expect(other.forgotten == [SeqRange(from: 1, to: 50)])
    }

    @Test func `a gateway with a response from its disk to publish has a deadline at once`() throws {
        var gateway = TestGateway()
        gateway.connect()
        gateway.advance(to: 1)
        let now = TestGateway.moment(1).instant
        #expect(gateway.pipeline.nextDeadline > now)
        let request = Request(parsing: Array(#"{"boot":"16.abcd","from_seq":1,"to_seq":5}"#.utf8))
        gateway.pipeline.respondWithEvents(request) { _, _ in [] }
        #expect(gateway.pipeline.nextDeadline <= now)
        gateway.advance(to: 1)
        #expect(responseText(gateway, "events") != nil)
        #expect(gateway.pipeline.nextDeadline > now)
    }

    @Test func `an unknown request and a wrong one get one clear sentence`() {
        var gateway = TestGateway()
        gateway.ask("tea", at: 1)
        #expect(
            responseText(gateway, "tea")?.contains(#""ok":false,"error":"A gateway does not respond to \"tea\""#)
                == true)
        gateway.ask("events", "{}", at: 1)
        #expect(responseText(gateway, "events")?.contains(#""ok":false,"error":"\"boot\" is missing.""#) == true)
    }

    @Test func `a retained request is ignored`() {
        var gateway = TestGateway()
        gateway.ask("beacons", retained: true, at: 1)
        #expect(responseText(gateway, "beacons") == nil)
    }

    @Test func `a request that cannot be read, or has another v, is refused, and nothing is done`() {
        var gateway = TestGateway()
        for text in ["{\"transaction\":-0,\"a\"", "{\"transaction\":-0,\"v\":2}"] {
            for what in ["radio/restart", "beacons", "events", "alive"] {
                gateway.ask(what, text, at: 1)
                #expect(responseText(gateway, what)?.contains(#"{"v":1,"ok":false,"error":"The payload"#) == true)
                #expect(responseText(gateway, what)?.hasSuffix(#","transaction":-0}"#) == true)
            }
        }
        #expect(!gateway.outputs.contains { if case .perform(.restartRadio) = $0 { true } else { false } })
    }

    @Test(arguments: ["", "PRESS"]) func `the radio is restarted when asked`(payload: String) {
        var gateway = TestGateway()
        gateway.ask("radio/restart", payload, at: 1)
        #expect(gateway.outputs.contains { if case .perform(.restartRadio) = $0 { true } else { false } })
    }
}
