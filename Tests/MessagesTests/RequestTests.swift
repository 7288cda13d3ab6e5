import Beacons
import Messages
import Testing

@Suite struct RequestTests {
    @Test(arguments: ["", "PRESS", "now", "1", " \n", "[{]", "null", "\u{0}", "{}", "\t{ }"])
    func `a request that does not begin as an object counts as an empty object`(text: String) throws {
        let request = Request(parsing: Array(text.utf8))
        #expect(request.transaction == nil)
        #expect(request.arguments == JSONObject() && request.refusal == nil)
        #expect(try request.body(Nothing.self) == Nothing())
    }

    @Test(
        arguments: [
            ("{\"a\":", .json(.truncated)), (" \n{", .json(.truncated)), ("{\"a\":1e999}", .json(.invalidNumber)),
            ("{\"a\":1,\"a\":2}", .json(.duplicateKey)), ("{\"a\":\"\\ud800\"}", .json(.invalidText)),
            ("{} x", .json(.trailing)), ("{'a':1}", .json(.syntax)),
            ("{\"a\":" + String(repeating: "[", count: 40), .json(.tooDeep)),
            ("{\"a\":\"" + String(repeating: "x", count: 1 << 16) + "\"}", .json(.tooLarge)),
            ("{\"v\":99}", .version), ("{\"v\":\"x\"}", .version), ("{\"v\":1.5}", .version),
        ] as [(String, PayloadRefusal)])
    func `a request that begins as an object and cannot be read, or is for other readers, is refused`(
        text: String, refusal: PayloadRefusal
    ) throws {
        let request = Request(parsing: Array(text.utf8))
        #expect(request.refusal == refusal && request.arguments == JSONObject() && request.transaction == nil)
        #expect(throws: refusal) { try request.body(Nothing.self) }
        // The client that reads its transaction gets the refusal all the same.
        let asked = Request(parsing: Array(text.replacing("{", with: "{\"transaction\": 7 ,", maxReplacements: 1).utf8))
        #expect(asked.refusal != nil && asked.transaction == .source("7"))
    }

    @Test func `a byte order mark before an object is skipped, and does not hide what is wrong behind it`() throws {
        let request = Request(parsing: Array("\u{FEFF}{\"boot\":7,\"transaction\":1}".utf8))
        #expect(request.refusal == nil && request.transaction == .source("1"))
        #expect(request.arguments["boot"] == .integer(7))
        #expect(Request(parsing: Array("\u{FEFF}{\"boot\":".utf8)).refusal == .json(.truncated))
        #expect(Request(parsing: Array("\u{FEFF}PRESS".utf8)).refusal == nil)
    }

    @Test func `a request that is not UTF-8 is refused, and one with v 1 or without a value of v is read`() {
        #expect(Request(parsing: Array("{\"a\":\"".utf8) + [0xFF, 0x22, 0x7D]).refusal == .json(.invalidText))
        for text in ["{\"v\":1}", "{\"v\":1.0}", "{\"v\":null}"] {
            #expect(Request(parsing: Array(text.utf8)).refusal == nil, "\(text)")
        }
        #expect(throws: PayloadRefusal.version) {
            try Nothing(requestedBy: JSONValue(parsing: Array("{\"v\":2}".utf8)).object!)
        }
    }

    @Test func `a request for events is written and read`() throws {
        let asked = EventsRequest(boot: kitchenBoot, seqs: SeqRange(from: 1, to: 50))
        let bytes = Request.bytes(of: asked, transaction: .string("a7"))
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"boot":"17.kfqx","from_seq":1,"to_seq":50,"transaction":"a7"}"#)
        let request = Request(parsing: bytes)
        #expect(request.transaction == .source(#""a7""#))
        #expect(try request.body() == asked)
        #expect(Request.bytes() == Array("{}".utf8))
    }

    @Test(
        arguments: [
            ("{}", .missing("boot")), (#"{"boot":"x","from_seq":1,"to_seq":2}"#, .malformed("boot")),
            (#"{"boot":"17.kfqx","from_seq":2,"to_seq":1}"#, .outOfRange("to_seq")),
            (#"{"boot":"17.kfqx","from_seq":0,"to_seq":1}"#, .outOfRange("from_seq")),
            (#"{"boot":"17.kfqx","from_seq":1}"#, .missing("to_seq")),
            (#"{"boot":"17.kfqx","from_seq":"1","to_seq":1}"#, .wrongType("from_seq")),
            (#"{"boot":"17.kfqx","from_seq":1,"to_seq":18446744073709551616}"#, .outOfRange("to_seq")),
        ] as [(String, PayloadRefusal)])
    func `an invalid request is refused with the reason`(text: String, refusal: PayloadRefusal) {
        let request = Request(parsing: Array(text.utf8))
        #expect(throws: refusal) { try request.body(EventsRequest.self) }
    }

    @Test func `a transaction of any type is repeated in the response as it was sent`() throws {
        for transaction in [
            #""a""#, "7", "-1.5", "true", #"{"a":[1,"x",null,{}]}"#, "[]", #""\"\u0000电""#, "18446744073709551615",
            "12345678901234567890123", "-0", "1.50", "1e2", "null", #"{"a": [0.10]}"#,
        ] {
            let request = Request(parsing: Array(#"{"transaction":\#(transaction)}"#.utf8))
            let response = Response(.done(Nothing()), transaction: request.transaction)
            #expect(text(response) == #"{"v":1,"ok":true,"transaction":\#(transaction)}"#)
            let value = try JSONValue(parsing: Array(transaction.utf8))
            let read = try Response<Nothing>(parsing: response.bytes).transaction
            #expect(read == (value == .null ? nil : value))
        }
        // A number that the end cuts off is no transaction.
        #expect(Request(parsing: Array(#"{"transaction":12"#.utf8)).transaction == nil)
    }

    @Test func `a failed response has one sentence as its reason`() throws {
        let response = Response<Nothing>(.failed("No such item."), transaction: .integer(7))
        #expect(text(response) == #"{"v":1,"ok":false,"error":"No such item.","transaction":7}"#)
        // A reader of another response type reads the same failure.
        #expect(try Response<EventsResponse>(parsing: response.bytes).outcome == .failed("No such item."))
    }

    @Test func `a successful response has ok set to true`() {
        #expect(text(Response(.done(Nothing()))) == #"{"v":1,"ok":true}"#)
    }

    @Test func `a response with events of each kind is written and read`() throws {
        let content = EventsResponse(
            events: [
                .beacon(
                    BeaconEvent(.enter, seq: 4, stamp: stamp(uptime: 5), gateway: "kitchen", beacon: bag, regions: [])),
                .region(RegionEvent(.enter, seq: 5, stamp: stamp(uptime: 5), region: "bags", gateway: "kitchen")),
                .item(
                    ItemEvent(.left(from: nil), seq: 6, item: "laptop-bag", name: "Bag", stamp: stamp(uptime: 5))),
            ],
            forgotten: [SeqRange(from: 1, to: 3)])
        let response = Response(.done(content))
        #expect(text(response).hasPrefix(#"{"v":1,"ok":true,"events":[{"v":1,"event_type":"enter","id":"17.kfqx-4","#))
        #expect(text(response).hasSuffix(#"}],"forgotten":[{"from_seq":1,"to_seq":3}],"more":false}"#))
        #expect(try Response<EventsResponse>(parsing: response.bytes) == response)
        #expect(content.events.map(\.id.seq) == [4, 5, 6])
        #expect(
            text(Response(.done(EventsResponse(events: []))))
                == #"{"v":1,"ok":true,"events":[],"forgotten":[],"more":false}"#)
        // A response without "v" is accepted.
        let example = #"{"ok":true,"events":[],"forgotten":[],"more":false}"#
        #expect(try read(Response<EventsResponse>.self, example).outcome == .done(EventsResponse(events: [])))
        for event in content.events {
            var json = JSONWriter()
            event.write(to: &json)
            #expect(try LoggedEvent(parsing: json.bytes) == event)
        }
    }

    @Test func `a response of a hundred events is read, and a longer one is refused`() throws {
        let event = RegionEvent(.exit, seq: 9, stamp: stamp(uptime: 5), region: "bags", gateway: "kitchen")
        let hundred = EventsResponse(events: Array(repeating: .region(event), count: 100), more: true)
        let response = Response(.done(hundred))
        #expect(try Response<EventsResponse>(parsing: response.bytes) == response)
        let more = text(response).replacing(#""events":["#, with: #""events":["# + text(event) + ",")
        #expect(throws: PayloadRefusal.tooMany("events", most: 100)) { try read(Response<EventsResponse>.self, more) }
    }

    @Test(
        arguments: [
            ("{}", .missing("ok")), (#"{"ok":1}"#, .wrongType("ok")), (#"{"ok":false}"#, .missing("error")),
            (#"{"ok":true}"#, .missing("events")), (#"{"ok":true,"events":[1],"forgotten":[]}"#, .wrongType("events")),
            (#"{"ok":true,"events":[{}],"forgotten":[]}"#, .missing("uuid")), (#"{"v":2,"ok":true}"#, .version),
            (#"{"ok":true,"events":[{"v":2,"item":"x"}],"forgotten":[]}"#, .version),
            (#"{"ok":true,"events":[],"forgotten":[3]}"#, .wrongType("forgotten")), ("[]", .notAnObject),
            ("", .json(.truncated)),
        ] as [(String, PayloadRefusal)])
    func `an invalid response is refused`(text: String, refusal: PayloadRefusal) {
        #expect(throws: refusal) { try read(Response<EventsResponse>.self, text) }
    }

    @Test func `the beacons in range are written and read`() throws {
        let content = BeaconsResponse(
            gateway: "kitchen", room: "Kitchen", stamp: stamp(uptime: 5),
            beacons: [
                ReceivedBeacon(
                    bag, name: "Tag\u{1B}[2J", rssi: -61, measuredPower: MeasuredPower(dBm: -59), accuracy: 1.26,
                    proximity: .near, address: DeviceAddress("D4:3A:2C:00:11:22", kind: .random)!, addresses: 1,
                    sightings: 57, regions: ["laptop-bag"], state: .inside, lastSeenAt: kitchenAt),
                ReceivedBeacon(
                    BeaconIdentity(uuid: bagUUID, major: 9, minor: 0), measuredPower: MeasuredPower(dBm: 0),
                    proximity: .unknown, address: DeviceAddress(bits: 0, kind: .anonymous), addresses: 2, sightings: 1,
                    lastSeenAt: kitchenAt),
            ])
        let response = Response(.done(content))
        let golden = #"""
            {"v":1,"ok":true,"gateway":"kitchen","room":"Kitchen","at":"2026-11-21T05:40:12.345Z","boot":"17.kfqx","uptime_ms":5,
            "beacons":[{"uuid":"f7826da6-4fa2-4e98-8024-bc5b71e0893e","major":1,"minor":2,"name":"Tag\u001b[2J","rssi_dbm":-61.0,
            "measured_power_dbm":-59,"accuracy_m":1.26,"proximity":"near","address":"D4:3A:2C:00:11:22","address_kind":"random","address_type":"random_static",
            "addresses":1,"sightings":57,"monitored":true,"regions":["laptop-bag"],"state":"inside",
            "last_seen_at":"2026-11-21T05:40:12.345Z"},
            {"uuid":"f7826da6-4fa2-4e98-8024-bc5b71e0893e","major":9,"minor":0,"measured_power_dbm":0,"proximity":"unknown",
            "address_kind":"anonymous","address_type":"anonymous","addresses":2,"sightings":1,"monitored":false,"regions":[],
            "last_seen_at":"2026-11-21T05:40:12.345Z"}]}
            """#
        #expect(text(response) == String(decoding: joined(golden), as: UTF8.self))
        #expect(try Response<BeaconsResponse>(parsing: response.bytes) == response)
    }

    @Test func `only the thousand strongest beacons are written`() throws {
        let beacon = ReceivedBeacon(
            bag, measuredPower: MeasuredPower(dBm: -59), proximity: .far,
            address: DeviceAddress(bits: 1, kind: .public),
            addresses: 1, sightings: 1, lastSeenAt: kitchenAt)
        let beacons = (0..<1200).map { number in
            var beacon = beacon
            beacon.beacon.minor = UInt16(number)
            return beacon
        }
        let content = BeaconsResponse(gateway: "kitchen", stamp: stamp(uptime: 5), beacons: beacons)
        let response = try Response<BeaconsResponse>(parsing: Response(.done(content)).bytes)
        guard case .done(let read) = response.outcome else { throw Failed() }
        #expect(read.beacons == Array(beacons.prefix(1000)))
    }

    @Test func `a response with the states of all regions are written and read`() throws {
        let content = RegionStatesResponse(
            gateway: "kitchen", stamp: stamp(uptime: 5),
            regions: [
                .init(.region("bags"), identifier: "Bags", state: .inside, since: kitchenAt, beacons: 2),
                .init(.item("laptop-bag"), identifier: "Laptop bag", state: .unknown, error: "too many"),
            ])
        let response = Response(.done(content))
        let golden = #"""
            {"v":1,"ok":true,"gateway":"kitchen","at":"2026-11-21T05:40:12.345Z","boot":"17.kfqx","uptime_ms":5,
            "regions":[{"region":"bags","identifier":"Bags","state":"inside","since":"2026-11-21T05:40:12.345Z","beacons":2},
            {"item":"laptop-bag","identifier":"Laptop bag","state":"unknown","error":"too many"}]}
            """#
        #expect(text(response) == String(decoding: joined(golden), as: UTF8.self))
        #expect(try Response<RegionStatesResponse>(parsing: response.bytes) == response)
    }
}

/// An error for a value of a kind that the test cannot use.
private struct Failed: Error {}
