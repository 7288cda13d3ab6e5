import Beacons
import Messages
import Testing

/// Returns a payload with one key replaced.
private func spoilt(_ payload: some Payload, _ old: String, _ new: String) -> String {
    let whole = text(payload)
    precondition(whole.contains(old), "nothing to spoil")
    return whole.replacing(old, with: new)
}

private let ranged = RangedState(
    gateway: "kitchen", room: "Kitchen", proximity: .near, accuracy: 1.84, rssi: -67.2,
    current: .init(rssi: -61.5, sightings: 3), sightings: 9, measuredPower: MeasuredPower(dBm: -59), addresses: 1,
    stamp: stamp(uptime: 60_500), validFor: 25)
private let exit = BeaconEvent(
    .exit, seq: 813, stamp: stamp(uptime: 7), gateway: "kitchen", beacon: bag, regions: ["laptop-bag"])
private let item = RegistryItem(
    id: "laptop-bag", name: "Laptop bag", beacon: bag, notify: Notify(left: true, returned: false, repeatSeconds: 300))

@Suite struct RefusalTests {
    @Test(
        arguments: [
            (#""v":1"#, #""v":2"#, .version), (#""v":1"#, #""v":"1""#, .version),
            (#""gateway":"kitchen","#, "", .missing("gateway")), (#""kitchen""#, "null", .missing("gateway")),
            (#""kitchen""#, "7", .wrongType("gateway")), (#""kitchen""#, #""Kitchen!""#, .malformed("gateway")),
            (#""kitchen""#, #""a/b""#, .malformed("gateway")),
            (#""room":"Kitchen""#, #""room":[]"#, .wrongType("room")),
            (#""near""#, #""nearby""#, .malformed("proximity")), (#""near""#, "1", .wrongType("proximity")),
            ("1.84", "-1", .outOfRange("accuracy_m")), ("1.84", "1e300", .outOfRange("accuracy_m")),
            ("1.84", #""1.84""#, .wrongType("accuracy_m")), ("1.84", "1e999", .json(.invalidNumber)),
            ("-67.2", "127", .outOfRange("rssi_dbm")), ("-67.2", "true", .wrongType("rssi_dbm")),
            ("-61.5", "-128", .outOfRange("current_rssi_dbm")), ("-61.5", "[]", .wrongType("current_rssi_dbm")),
            (#"_sightings":3"#, #"_sightings":-1"#, .outOfRange("current_sightings")),
            (#"_sightings":3"#, #"_sightings":"3""#, .wrongType("current_sightings")),
            (#""sightings":9"#, #""sightings":-1"#, .outOfRange("sightings")),
            (#""sightings":9"#, #""sightings":9.5"#, .wrongType("sightings")),
            (#""sightings":9"#, #""sightings":9223372036854775807"#, .outOfRange("sightings")),
            (#""sightings":9"#, #""sightings":1e300"#, .outOfRange("sightings")),
            ("-59", "-129", .outOfRange("measured_power_dbm")), ("-59", "128", .outOfRange("measured_power_dbm")),
            ("60500", "-1", .outOfRange("uptime_ms")), ("60500", "9223372036854775807", .outOfRange("uptime_ms")),
            ("60500", "3155760000001", .outOfRange("uptime_ms")), (#""uptime_ms":60500,"#, "", .missing("uptime_ms")),
            ("17.kfqx", "17.KFQX", .malformed("boot")), ("2026-11-21T05", "2026-13-21T05", .malformed("at")),
            ("25}", "0}", .outOfRange("valid_for_s")), ("25}", "4294967296}", .outOfRange("valid_for_s")),
            (#""addresses":1"#, #""addresses":1,"addresses":1"#, .json(.duplicateKey)),
            (#""addresses":1"#, #""clock_synchronised":"no","addresses":1"#, .wrongType("clock_synchronised")),
            ("}", "", .json(.truncated)), ("}", "}{", .json(.trailing)),
        ] as [(String, String, PayloadRefusal)])
    func `a ranged state with one invalid key is refused by name`(old: String, new: String, refusal: PayloadRefusal) {
        #expect(throws: refusal) { try read(RangedState.self, spoilt(ranged, old, new)) }
    }

    @Test(arguments: [
        (#""v":1,"#, ""),  // responses without it are accepted, too
        (#""v":1"#, #""v":1.0"#), (#""v":1"#, #""v":1,"colour":{"a":[1,2]}"#), (#""sightings":9"#, #""sightings":9.0"#),
        ("{", " {\n\t"), (#""addresses":1"#, #""clock_synchronised":true,"addresses":1"#),
    ])
    func `a valid variant of another publisher is read`(old: String, new: String) throws {
        #expect(try read(RangedState.self, spoilt(ranged, old, new)) == ranged)
    }

    @Test func `keys in another order are read`() throws {
        let object = try #require(try JSONValue(parsing: ranged.bytes).object)
        var json = JSONWriter()
        json.object { json in
            for member in object.members.reversed() {
                json.key(named: member.key)
                json.element(member.value)
            }
        }
        #expect(try RangedState(parsing: json.bytes) == ranged)
    }

    @Test(
        arguments: [
            (#""exit""#, #""left""#, .malformed("event_type")), ("17.kfqx-813", "17.kfqx-0", .malformed("id")),
            ("17.kfqx-813", "17.kfqx-812", .contradiction("seq")),
            ("17.kfqx-813", "18.kfqx-813", .contradiction("boot")),
            (#""major":1"#, #""major":65536"#, .outOfRange("major")),
            (#""minor":2"#, #""minor":-1"#, .outOfRange("minor")),
            (bagUUID.description, "f7826da6", .malformed("uuid")),
            (#"["laptop-bag"]"#, #"["Laptop bag"]"#, .malformed("regions")),
            (#"["laptop-bag"]"#, "[1]", .wrongType("regions")), (#"["laptop-bag"]"#, "{}", .wrongType("regions")),
            (#""regions":["laptop-bag"]"#, #""x":1"#, .missing("regions")),
        ] as [(String, String, PayloadRefusal)])
    func `an event with one invalid key is refused by name`(old: String, new: String, refusal: PayloadRefusal) {
        #expect(throws: refusal) { try read(BeaconEvent.self, spoilt(exit, old, new)) }
    }

    @Test(
        arguments: [
            (#""id":"laptop-bag""#, #""id":"Laptop""#, .malformed("id")),
            (#""notify":{"#, #""notify":[],"x":{"#, .wrongType("notify")),
            ("300", "0", .outOfRange("repeat_s")), ("300", "1e18", .outOfRange("repeat_s")),
            (#""left":true"#, #""left":"yes""#, .wrongType("left")),
            (#""left":true"#, #""from":"7:00""#, .malformed("from")),
            (#""minor":2"#, #""minor":2,"measured_power_dbm":0"#, .outOfRange("measured_power_dbm")),
        ] as [(String, String, PayloadRefusal)])
    func `an item of the registry with one invalid key is refused by name`(
        old: String, new: String, refusal: PayloadRefusal
    ) {
        #expect(throws: refusal) { try read(RegistryItem.self, spoilt(item, old, new)) }
    }

    @Test(
        arguments: [
            (#""address":"C0:11:22:33:44:55""#, #""address":"C0:11:22:33:44""#, .malformed("address")),
            (#""address":"C0:11:22:33:44:55","#, "", .missing("address")),
            (#""address":"C0:11:22:33:44:55""#, #""service_uuid":"feaa""#, .missing("service_data")),
            (#""address":"C0:11:22:33:44:55""#, #""service_data":"410abbcc""#, .missing("service_uuid")),
            (#""service_uuid""#, #""address":"C0:11:22:33:44:55","service_uuid""#, .contradiction("address")),
            (#""feaa""#, #""0xfeaa""#, .malformed("service_uuid")),
            (#""feaa""#, #""zeaa""#, .malformed("service_uuid")),
            (#""410abbcc""#, #""410abbc""#, .malformed("service_data")),
            (#""410abbcc""#, #""410abb""#, .outOfRange("service_data")),
            (#""410abbcc""#, "\"\(String(repeating: "41", count: 33))\"", .outOfRange("service_data")),
            (#""410abbcc""#, "1", .wrongType("service_data")), (#""until""#, #""to""#, .missing("until")),
            ("2026-11-21T05:40:12.345Z", "tomorrow", .malformed("until")),
            (#""aliases""#, #""alias""#, .missing("aliases")),
        ] as [(String, String, PayloadRefusal)])
    func `an item's aliases with one invalid key are refused by name`(old: String, new: String, refusal: PayloadRefusal)
    {
        let aliases = ItemAliases(aliases: [
            ItemAlias(.address(0xC011_2233_4455), until: kitchenAt),
            ItemAlias(.serviceData(service: 0xFEAA, beginning: [0x41, 0x0A, 0xBB, 0xCC]), until: kitchenAt),
        ])
        #expect(throws: refusal) { try read(ItemAliases.self, spoilt(aliases, old, new)) }
    }

    @Test func `a region with a minor needs a major`() {
        let region = Region(id: "bags", identifier: "Bags", scope: .beacon(bag))
        #expect(throws: PayloadRefusal.missing("major")) {
            try read(Region.self, spoilt(region, #""major":1,"#, ""))
        }
    }

    @Test func `a manifest without its lists is refused`() {
        #expect(throws: PayloadRefusal.missing("items")) { try read(RegistryManifest.self, #"{"v":1,"revision":43}"#) }
        #expect(throws: PayloadRefusal.missing("regions")) {
            try read(RegistryManifest.self, #"{"v":1,"revision":43,"items":[]}"#)
        }
    }

    @Test func `the manifest of a full registry is read, and one with another item is refused`() throws {
        let ids = (1...RegistryManifest.longestList).map { "\($0)" + String(repeating: "x", count: 60) }.map {
            String($0.prefix(64))
        }
        let full = RegistryManifest(revision: 1, items: ids, regions: ids)
        #expect(try RegistryManifest(parsing: full.bytes) == full)
        let more = RegistryManifest(revision: 1, items: ids + ["more"], regions: [])
        #expect(throws: PayloadRefusal.tooMany("items", most: RegistryManifest.longestList)) {
            try RegistryManifest(parsing: more.bytes)
        }
    }

    @Test func `a confidence outside 0 to 1 and a point with one coordinate are refused`() {
        let location = ItemLocation(
            item: "laptop-bag", name: "Laptop bag", presence: .home, rooms: [.init("Hall", 0.5)],
            stamp: stamp(uptime: 7), point: .init(x: 1, y: 2, floor: 0))
        #expect(throws: PayloadRefusal.outOfRange("rooms")) {
            try read(ItemLocation.self, spoilt(location, #""Hall":0.5"#, #""Hall":1.5"#))
        }
        #expect(throws: PayloadRefusal.wrongType("rooms")) {
            try read(ItemLocation.self, spoilt(location, #""Hall":0.5"#, #""Hall":"0.5""#))
        }
        #expect(throws: PayloadRefusal.missing("y_m")) { try read(ItemLocation.self, spoilt(location, "y_m", "why_m")) }
        #expect(throws: PayloadRefusal.malformed("presence")) {
            try read(ItemLocation.self, spoilt(location, #""home""#, #""here""#))
        }
    }

    @Test func `an event of type moved needs the rooms it moved from and to`() {
        let event = ItemEvent(
            .moved(from: "Hall", to: "Kitchen"), seq: 1, item: "laptop-bag", name: "Bag", stamp: stamp(uptime: 7))
        #expect(throws: PayloadRefusal.missing("to")) { try read(ItemEvent.self, spoilt(event, #""to""#, #""too""#)) }
        #expect(throws: PayloadRefusal.malformed("event_type")) {
            try read(ItemEvent.self, spoilt(event, "moved", "flown"))
        }
    }

    @Test func `texts and lists beyond their limits are refused and never written`() throws {
        let long = String(repeating: "x", count: Fields.longestText)
        #expect(throws: Never.self) { try read(RangedState.self, spoilt(ranged, "Kitchen", long)) }
        #expect(throws: PayloadRefusal.outOfRange("room")) {
            try read(RangedState.self, spoilt(ranged, "Kitchen", long + "x"))
        }
        var info = GatewayInfo(
            gateway: "kitchen", version: "1", stamp: stamp(uptime: 1), radio: .init(source: "x", state: .poweredOn),
            log: (1...300).map { LogRange(boot: kitchenBoot, seqs: SeqRange(from: $0, to: $0)) },
            problems: (1...300).map { "\($0)" }, regions: 0)
        let sent = try GatewayInfo(parsing: info.bytes)
        #expect(sent.log == info.log.suffix(256))
        #expect(sent.problems == Array(info.problems.prefix(256)))
        info.problems = []
        #expect(throws: PayloadRefusal.tooMany("problems", most: 256)) {
            try read(
                GatewayInfo.self,
                spoilt(info, #""problems":[]"#, #""problems":["x"\#(String(repeating: #","x""#, count: 256))]"#))
        }
    }

    @Test(
        arguments: [
            (.proximity(bag, gateway: "hall"), ranged, "gateway"),
            (.beaconEvent(bag, gateway: "hall"), exit, "gateway"),
            (
                .beaconEvent(BeaconIdentity(uuid: BeaconUUID(high: 0, low: 0), major: 1, minor: 2), gateway: "kitchen"),
                exit, "uuid"
            ),
            (.beaconEvent(BeaconIdentity(uuid: bagUUID, major: 2, minor: 2), gateway: "kitchen"), exit, "major"),
            (.beaconEvent(BeaconIdentity(uuid: bagUUID, major: 1, minor: 1), gateway: "kitchen"), exit, "minor"),
            (.registryItem("keys"), item, "id"),
            (.registryRegion("bag"), Region(id: "bags", identifier: "Bags", scope: .uuid(bagUUID)), "id"),
            (
                .regionState(region: "bags", gateway: "hall"),
                RegionState(.inside, gateway: "kitchen", stamp: stamp(uptime: 7)), "gateway"
            ),
            (.regionEvent(region: "bag", gateway: "kitchen"), bagsEnter, "region"),
            (.regionEvent(region: "bags", gateway: "hall"), bagsEnter, "gateway"),
            (
                .itemLocation(item: "keys"),
                ItemLocation(item: "bag", name: "", presence: .away, stamp: stamp(uptime: 7)), "item"
            ),
            (
                .itemEvent(item: "keys"),
                ItemEvent(.left(from: nil), seq: 1, item: "bag", name: "", stamp: stamp(uptime: 7)), "item"
            ),
            (
                .itemHealth(item: "keys"),
                ItemHealth(item: "bag", readings: TagReadings(), isLow: nil, stamp: stamp(uptime: 7)), "item"
            ),
            (
                .itemNotification(item: "keys"),
                Notification(
                    id: EventID(boot: kitchenBoot, seq: 1), kind: .left, message: "", item: "bag", count: 1,
                    since: kitchenAt,
                    stamp: stamp(uptime: 7)), "item"
            ),
            (
                .gatewayInfo(gateway: "hall"),
                GatewayInfo(
                    gateway: "kitchen", version: "1", stamp: stamp(uptime: 1),
                    radio: .init(source: "x", state: .poweredOn),
                    regions: 0), "gateway"
            ),
        ] as [(Topic, any Payload, String)])
    func `a payload that contradicts its topic is refused`(topic: Topic, payload: any Payload, key: String) throws {
        func check<P: Payload>(_ payload: P) throws {
            #expect(throws: PayloadRefusal.contradiction(key)) { try P(parsing: payload.bytes, on: topic) }
            #expect(try P(parsing: payload.bytes) == payload)
        }
        try check(payload)
    }

    @Test func `a payload that agrees with its topic is read`() throws {
        #expect(try RangedState(parsing: ranged.bytes, on: .proximity(bag, gateway: "kitchen")) == ranged)
        #expect(try BeaconEvent(parsing: exit.bytes, on: .beaconEvent(bag, gateway: "kitchen")) == exit)
        #expect(try RegistryItem(parsing: item.bytes, on: .registryItem("laptop-bag")) == item)
    }

    @Test func `every refusal has a counter name and a sentence`() {
        let refusals: [PayloadRefusal] =
            JSONRefusal.allCases.map { .json($0) } + [
                .notAnObject, .version, .missing("a"), .wrongType("a"), .outOfRange("a"), .malformed("a"),
                .contradiction("a"),
            ]
        #expect(Set(refusals.map(\.name)).count == refusals.count)
        #expect(PayloadRefusal.tooMany("aliases", most: 256).description == "\"aliases\" has more than 256 values.")
        #expect(refusals.allSatisfy { $0.description.hasSuffix(".") })
    }

    @Test func `no mutation of a payload crashes its reader, and a payload that is read is stable`() throws {
        var generator = SplitMix64(seed: 11)
        for payload in [ranged, exit, item, bagsEnter] as [any Payload] { try fuzz(payload, using: &generator) }
    }

    private func fuzz<P: Payload>(_ payload: P, using generator: inout SplitMix64) throws {
        let whole = payload.bytes
        let numbers = [
            "-1", "1e18", "9223372036854775807", "-9223372036854775808", "1e308", "0.5", "null", "\"\"", "[]", "{}",
        ]
        var accepted = 0
        for _ in 0..<500 {
            var bytes = whole
            // Replaces a value or changes bytes.
            if Bool.random(using: &generator),
                let colon = bytes.indices.filter({ bytes[$0] == UInt8(ascii: ":") }).randomElement(using: &generator)
            {
                let end = bytes[colon...].firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") }!
                bytes.replaceSubrange(colon + 1..<end, with: Array(numbers.randomElement(using: &generator)!.utf8))
            } else {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(
                    in: 0x20...0x7E, using: &generator)
            }
            guard let first = try? P(parsing: bytes) else { continue }
            accepted += 1
            // The first write rounds numbers; later writes change nothing.
            let second = try P(parsing: first.bytes)
            #expect(try P(parsing: second.bytes) == second)
        }
        #expect(accepted > 0)
    }
}

private let bagsEnter = RegionEvent(.enter, seq: 1, stamp: stamp(uptime: 7), region: "bags", gateway: "kitchen")
