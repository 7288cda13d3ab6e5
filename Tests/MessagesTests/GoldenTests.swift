import Beacons
import Foundation
import Messages
import Testing

/// Payloads byte for byte: each is written and read back to the same value. `ReferenceTests` does the same with the
/// reference's examples.
@Suite struct GoldenTests {
    private func check<P: Payload>(_ payload: P, _ lines: String) throws {
        let (written, golden) = (text(payload), String(decoding: joined(lines), as: UTF8.self))
        let isSame = written == golden
        #expect(isSame, "\(P.self) differs: \(difference(written, golden))")
        #expect(try P(parsing: joined(lines)) == payload)
    }

    /// The members that only one of two payloads has.
    private func difference(_ written: String, _ golden: String) -> String {
        func members(_ text: String) -> [String] { text.components(separatedBy: ",\"").map { "\"" + $0 } }
        let (new, old) = (members(written), members(golden))
        let (added, missing) = (new.filter { !old.contains($0) }, old.filter { !new.contains($0) })
        if added.isEmpty, missing.isEmpty { return "the order of its members" }
        return "written \(added.joined(separator: " ")), expected \(missing.joined(separator: " "))"
    }

    @Test func `a gateway's info is written and read`() throws {
        try check(
            GatewayInfo(
                gateway: "kitchen", room: "Kitchen", rssiOffset: -2.5, version: "1.0.0", stamp: stamp(uptime: 60_012),
                radio: .init(
                    source: "bluez:hci0", interface: "monitor",
                    address: DeviceAddress(bits: 0xB827_EB00_0001, kind: .public), state: .poweredOn),
                beacon: .init(
                    identity: BeaconIdentity(
                        uuid: BeaconUUID("f7826da6-4fa2-4e98-8024-bc5b71e0893e")!, major: 100, minor: 1),
                    measuredPower: MeasuredPower(dBm: -62)),
                machine: .init(freeBytes: 11_900_000_000, temperature: 48.3, isUndervolted: false),
                log: [
                    LogRange(boot: Boot("16.abcd")!, seqs: SeqRange(from: 1, to: 400)),
                    LogRange(boot: kitchenBoot, seqs: SeqRange(from: 1, to: 12)),
                ],
                problems: ["the state folder is full"], regions: 3, revision: 42),
            #"""
            {"v":1,"gateway":"kitchen","room":"Kitchen","rssi_offset_db":-2.5,"version":"1.0.0","boot":"17.kfqx","uptime_ms":60012,
            "at":"2026-11-21T05:40:12.345Z","clock_synchronised":true,"valid_for_s":75,
            "radio":{"source":"bluez:hci0","interface":"monitor","address":"B8:27:EB:00:00:01","state":"powered_on"},
            "beacon":{"uuid":"f7826da6-4fa2-4e98-8024-bc5b71e0893e","major":100,"minor":1,"measured_power_dbm":-62},
            "machine":{"disk_free_bytes":11900000000,"temperature_c":48.3,"undervoltage":false},
            "log":[{"boot":"16.abcd","from_seq":1,"to_seq":400},{"boot":"17.kfqx","from_seq":1,"to_seq":12}],
            "problems":["the state folder is full"],"regions":3,"revision":42}
            """#)
    }

    @Test func `a gateway's info without optional values is written and read`() throws {
        try check(
            GatewayInfo(
                gateway: "k", version: "1.0.0", stamp: stamp(uptime: 0, isClockSynchronised: false),
                radio: .init(source: "simulation", state: .unknown, reason: "not started"), regions: 0),
            #"""
            {"v":1,"gateway":"k","version":"1.0.0","boot":"17.kfqx","uptime_ms":0,
            "at":"2026-11-21T05:40:12.345Z","clock_synchronised":false,"valid_for_s":75,
            "radio":{"source":"simulation","state":"unknown","reason":"not started"},
            "log":[],"problems":[],"regions":0}
            """#)
    }

    @Test func `a gateway's telemetry is written and read`() throws {
        try check(
            Telemetry(
                boot: kitchenBoot, uptime: Instant(milliseconds: 60_500), advertsPerSecond: 211.5, adverts: 12690,
                sightings: 8100, refused: ["truncated": 10, "not_a_beacon": 4580], lostInKernel: 0, beacons: 14,
                unknownBeacons: 3, outbox: 0, reconnects: 1, cpuPercent: 0.4, rssBytes: 13_631_488),
            #"""
            {"v":1,"boot":"17.kfqx","uptime_ms":60500,"adverts_per_s":211.5,"adverts":12690,"sightings":8100,
            "refused":{"not_a_beacon":4580,"truncated":10},"lost_in_kernel":0,"beacons":14,"unknown_beacons":3,
            "outbox":0,"reconnects":1,"cpu_percent":0.4,"rss_bytes":13631488,"uptime_s":60}
            """#)
    }

    @Test func `a ranged state is written and read`() throws {
        try check(
            RangedState(
                gateway: "kitchen", room: "Kitchen", proximity: .near, accuracy: 1.84, rssi: -67.2,
                current: .init(rssi: -61.5, sightings: 3), sightings: 9, measuredPower: MeasuredPower(dBm: -59),
                addresses: 1, stamp: stamp(uptime: 60_500), validFor: 25),
            #"""
            {"v":1,"gateway":"kitchen","room":"Kitchen","proximity":"near","accuracy_m":1.84,"rssi_dbm":-67.2,
            "current_rssi_dbm":-61.5,"current_sightings":3,"sightings":9,"measured_power_dbm":-59,"addresses":1,
            "at":"2026-11-21T05:40:12.345Z","boot":"17.kfqx","uptime_ms":60500,"valid_for_s":25}
            """#)
    }

    @Test func `a ranged state of a silent beacon is written and read`() throws {
        try check(
            RangedState(
                gateway: "kitchen", proximity: .near, accuracy: 1.84, sightings: 0, addresses: 1,
                silence: .init(seconds: 8.2, perDay: 31.5), stamp: stamp(uptime: 60_500), validFor: 25),
            #"""
            {"v":1,"gateway":"kitchen","proximity":"near","accuracy_m":1.84,"sightings":0,"addresses":1,
            "silent_s":8.2,"silences_per_day":31.5,
            "at":"2026-11-21T05:40:12.345Z","boot":"17.kfqx","uptime_ms":60500,"valid_for_s":25}
            """#)
    }

    @Test func `a ranged state of a tag that reports battery and temperature is written and read`() throws {
        try check(
            RangedState(
                gateway: "kitchen", proximity: .near, rssi: -67.2, sightings: 9, addresses: 1,
                readings: TagReadings(batteryPercent: 12, batteryMillivolts: 2350, temperatureTenths: -4),
                batteryAge: 40, stamp: stamp(uptime: 60_500), validFor: 25),
            #"""
            {"v":1,"gateway":"kitchen","proximity":"near","rssi_dbm":-67.2,"sightings":9,"addresses":1,
            "battery_percent":12,"battery_mv":2350,"temperature_c":-0.4,"battery_age_s":40,
            "at":"2026-11-21T05:40:12.345Z","boot":"17.kfqx","uptime_ms":60500,"valid_for_s":25}
            """#)
    }

    @Test func `a ranged state without sightings on an unsynchronised clock is written and read`() throws {
        try check(
            RangedState(
                gateway: "kitchen", proximity: .unknown, sightings: 0, addresses: 0,
                stamp: stamp(uptime: 60_500, isClockSynchronised: false), validFor: 25),
            #"""
            {"v":1,"gateway":"kitchen","proximity":"unknown","sightings":0,"addresses":0,
            "at":"2026-11-21T05:40:12.345Z","clock_synchronised":false,"boot":"17.kfqx","uptime_ms":60500,
            "valid_for_s":25}
            """#)
    }

    @Test func `the health of an item's tag is written and read`() throws {
        try check(
            ItemHealth(
                item: "laptop-bag",
                readings: TagReadings(batteryPercent: 12, batteryMillivolts: 2350, temperatureTenths: 215), isLow: true,
                stamp: stamp(uptime: 7)),
            #"""
            {"v":1,"item":"laptop-bag","battery_percent":12,"battery_mv":2350,"temperature_c":21.5,"low":true,
            "at":"2026-11-21T05:40:12.345Z","boot":"17.kfqx","uptime_ms":7}
            """#)
    }

    @Test func `the reception of an item's tag is written and read`() throws {
        try check(
            ItemHealth(
                item: "keys", readings: TagReadings(), isLow: nil,
                reception: .init(
                    interval: 1.02, sightingsPerHour: 3180, trend: -4.9, gateway: "hall", days: [-601, nil, -650]),
                stamp: stamp(uptime: 7)),
            #"""
            {"v":1,"item":"keys","interval_s":1.02,"sightings_per_hour":3180,"rssi_db_per_week":-4.9,
            "rssi_gateway":"hall","rssi_days_dbm":[-60.1,null,-65.0],
            "at":"2026-11-21T05:40:12.345Z","boot":"17.kfqx","uptime_ms":7}
            """#)
    }

    @Test func `the aliases of an item are written and read`() throws {
        try check(
            ItemAliases(aliases: [
                ItemAlias(.address(0xC011_2233_4455), until: kitchenAt),
                ItemAlias(.serviceData(service: 0xFEAA, beginning: [0x41, 0x0A, 0xBB, 0xCC]), until: kitchenAt),
            ]),
            #"""
            {"v":1,"aliases":[{"address":"C0:11:22:33:44:55","until":"2026-11-21T05:40:12.345Z"},
            {"service_uuid":"feaa","service_data":"410abbcc","until":"2026-11-21T05:40:12.345Z"}]}
            """#)
    }

    @Test func `a beacon's exit is written and read`() throws {
        try check(
            BeaconEvent(
                .exit, seq: 813, stamp: stamp(uptime: 99_871_234), gateway: "kitchen", room: "Kitchen", beacon: bag,
                regions: ["laptop-bag"], insideForSeconds: 3541.2, lastSeenAt: kitchenAt - .seconds(20),
                lastRSSI: -88),
            #"""
            {"v":1,"event_type":"exit","id":"17.kfqx-813","seq":813,"boot":"17.kfqx","uptime_ms":99871234,
            "at":"2026-11-21T05:40:12.345Z","gateway":"kitchen","room":"Kitchen",
            "uuid":"f7826da6-4fa2-4e98-8024-bc5b71e0893e","major":1,"minor":2,
            "regions":["laptop-bag"],"inside_for_s":3541.2,"last_seen_at":"2026-11-21T05:39:52.345Z","last_rssi_dbm":-88.0}
            """#)
    }

    @Test func `a beacon's enter is written and read`() throws {
        try check(
            BeaconEvent(
                .enter, seq: 1, stamp: stamp(uptime: 5), gateway: "kitchen", beacon: bag,
                regions: ["bags", "laptop-bag"], isByAlias: true),
            #"""
            {"v":1,"event_type":"enter","id":"17.kfqx-1","seq":1,"boot":"17.kfqx","uptime_ms":5,
            "at":"2026-11-21T05:40:12.345Z","gateway":"kitchen",
            "uuid":"f7826da6-4fa2-4e98-8024-bc5b71e0893e","major":1,"minor":2,"regions":["bags","laptop-bag"],"by_alias":true}
            """#)
    }

    @Test func `a region's state is written and read`() throws {
        try check(
            RegionState(.inside, since: kitchenAt, beacons: 2, gateway: "kitchen", stamp: stamp(uptime: 7)),
            #"""
            {"v":1,"state":"inside","since":"2026-11-21T05:40:12.345Z","beacons":2,"gateway":"kitchen",
            "at":"2026-11-21T05:40:12.345Z","boot":"17.kfqx","uptime_ms":7,"valid_for_s":75}
            """#)
        try check(
            RegionState(.unknown, gateway: "kitchen", stamp: stamp(uptime: 7), error: "too many regions"),
            #"""
            {"v":1,"state":"unknown","gateway":"kitchen",
            "at":"2026-11-21T05:40:12.345Z","boot":"17.kfqx","uptime_ms":7,"valid_for_s":75,"error":"too many regions"}
            """#)
    }

    @Test func `a region's enter is written and read`() throws {
        try check(
            RegionEvent(
                .enter, seq: 814, stamp: stamp(uptime: 7), region: "bags", gateway: "kitchen", room: "Kitchen"),
            #"""
            {"v":1,"event_type":"enter","id":"17.kfqx-814","seq":814,"boot":"17.kfqx","uptime_ms":7,
            "at":"2026-11-21T05:40:12.345Z","region":"bags","gateway":"kitchen","room":"Kitchen"}
            """#)
    }

    @Test func `an item of the registry is written and read`() throws {
        try check(
            RegistryItem(
                id: "laptop-bag", name: "Laptop bag", beacon: bag, measuredPower: MeasuredPower(dBm: -59),
                notify: Notify(
                    left: true, returned: false, afterSeconds: 30, repeatSeconds: 300, untilSeconds: 3600,
                    from: TimeOfDay("07:00"), to: TimeOfDay("22:00"), leftText: "{name} is gone",
                    returnedText: "Here again")),
            #"""
            {"v":1,"id":"laptop-bag","name":"Laptop bag","uuid":"f7826da6-4fa2-4e98-8024-bc5b71e0893e","major":1,"minor":2,
            "measured_power_dbm":-59,
            "notify":{"left":true,"returned":false,"after_s":30,"repeat_s":300,"until_s":3600,"from":"07:00","to":"22:00",
            "left_text":"{name} is gone","returned_text":"Here again"}}
            """#)
        try check(
            RegistryItem(id: "cat", name: "Cat", beacon: bag, sleeps: true),
            #"""
            {"v":1,"id":"cat","name":"Cat","uuid":"f7826da6-4fa2-4e98-8024-bc5b71e0893e","major":1,"minor":2,"sleeps":true}
            """#)
        try check(
            RegistryItem(id: "item-5", name: "电脑包", beacon: bag),
            #"{"v":1,"id":"item-5","name":"电脑包","uuid":"f7826da6-4fa2-4e98-8024-bc5b71e0893e","major":1,"minor":2}"#)
    }

    @Test func `a region of the registry is written and read`() throws {
        try check(
            Region(id: "bags", identifier: "Bags", scope: .major(bagUUID, 1)),
            #"""
            {"v":1,"id":"bags","identifier":"Bags","uuid":"f7826da6-4fa2-4e98-8024-bc5b71e0893e","major":1,
            "notify_on_entry":true,"notify_on_exit":true}
            """#)
        try check(
            Region(
                id: "bags", identifier: "Bags", scope: .uuid(bagUUID), notifyOnEntry: false, notifyOnExit: false),
            #"""
            {"v":1,"id":"bags","identifier":"Bags","uuid":"f7826da6-4fa2-4e98-8024-bc5b71e0893e",
            "notify_on_entry":false,"notify_on_exit":false}
            """#)
        try check(
            Region(
                id: "bag", identifier: "Bag", scope: .beacon(bag), measuredPower: MeasuredPower(dBm: -65)),
            #"""
            {"v":1,"id":"bag","identifier":"Bag","uuid":"f7826da6-4fa2-4e98-8024-bc5b71e0893e","major":1,"minor":2,
            "measured_power_dbm":-65,"notify_on_entry":true,"notify_on_exit":true}
            """#)
    }

    @Test func `the registry's manifest is written and read`() throws {
        try check(
            RegistryManifest(revision: 42, items: ["laptop-bag"], regions: []),
            #"{"v":1,"revision":42,"items":["laptop-bag"],"regions":[]}"#)
        try check(
            RegistryManifest(revision: 43, origin: Boot("1.wxyz"), parts: ["5467b0da1d106495", "b6bf9d41b8bb9ab7"]),
            #"{"v":1,"revision":43,"parts":["5467b0da1d106495","b6bf9d41b8bb9ab7"],"origin":"1.wxyz"}"#)
    }

    @Test func `a part of the registry's manifest is written, read, and named by its bytes`() throws {
        let part = RegistryPart(items: ["laptop-bag"], regions: ["bags"])
        try check(part, #"{"v":1,"items":["laptop-bag"],"regions":["bags"]}"#)
        #expect(RegistryPart.digest(of: []) == "cbf29ce484222325")
        #expect(RegistryPart.digest(of: Array("foobar".utf8)) == "85944171f73967e8")
        #expect(RegistryPart.number(of: "foobar") == 0xe8 % 64)
    }

    @Test func `the location of an item at home is written and read`() throws {
        var location = ItemLocation(
            item: "laptop-bag", name: "Laptop bag", presence: .home, room: "Kitchen", confidence: 0.93,
            rooms: [.init("Kitchen", 0.93), .init("Hall", 0.05)], gateway: "kitchen", proximity: .near, accuracy: 1.84,
            since: kitchenAt, lastSeenAt: kitchenAt, stamp: stamp(uptime: 7))
        let golden = #"""
            {"v":1,"item":"laptop-bag","name":"Laptop bag","presence":"home","room":"Kitchen","confidence":0.93,
            "rooms":{"Kitchen":0.93,"Hall":0.05},"gateway":"kitchen","proximity":"near","accuracy_m":1.84,
            "since":"2026-11-21T05:40:12.345Z","last_seen_at":"2026-11-21T05:40:12.345Z",
            "at":"2026-11-21T05:40:12.345Z","boot":"17.kfqx","uptime_ms":7}
            """#
        try check(location, golden)
        location.point = .init(x: 1.25, y: -0.5, floor: 1)
        try check(location, golden.dropLast() + #","x_m":1.25,"y_m":-0.5,"floor":1}"#)
    }

    @Test func `the location of a silent item is written and read`() throws {
        try check(
            ItemLocation(
                item: "laptop-bag", name: "Laptop bag", presence: .home, room: "Hall", lastSeenAt: kitchenAt,
                awayProbability: 0.69, stamp: stamp(uptime: 7)),
            #"""
            {"v":1,"item":"laptop-bag","name":"Laptop bag","presence":"home","room":"Hall",
            "last_seen_at":"2026-11-21T05:40:12.345Z","away_probability":0.69,
            "at":"2026-11-21T05:40:12.345Z","boot":"17.kfqx","uptime_ms":7}
            """#)
    }

    @Test func `the location of a still item is written and read`() throws {
        try check(
            ItemLocation(
                item: "laptop-bag", name: "Laptop bag", presence: .home, room: "Hall", confidence: 0.93,
                since: kitchenAt, lastSeenAt: kitchenAt, restingSince: kitchenAt, stamp: stamp(uptime: 7)),
            #"""
            {"v":1,"item":"laptop-bag","name":"Laptop bag","presence":"home","room":"Hall","confidence":0.93,
            "since":"2026-11-21T05:40:12.345Z","last_seen_at":"2026-11-21T05:40:12.345Z",
            "resting_since":"2026-11-21T05:40:12.345Z","at":"2026-11-21T05:40:12.345Z","boot":"17.kfqx","uptime_ms":7}
            """#)
    }

    @Test func `the location of an item that is away, never received or a duplicate is written and read`() throws {
        let away = ItemLocation(
            item: "laptop-bag", name: "Laptop bag", presence: .away, room: "Hall", confidence: 0.9,
            rooms: [.init("Hall", 0.9)], gateway: "hall", since: kitchenAt, lastSeenAt: kitchenAt,
            stamp: stamp(uptime: 7))
        // The keys that are omitted for an item that is away, whatever the value holds.
        #expect(
            text(away)
                == #"{"v":1,"item":"laptop-bag","name":"Laptop bag","presence":"away","since":"2026-11-21T05:40:12.345Z","#
                + #""last_seen_at":"2026-11-21T05:40:12.345Z","at":"2026-11-21T05:40:12.345Z","boot":"17.kfqx","uptime_ms":7}"#
        )
        try check(
            ItemLocation(
                item: "laptop-bag", name: "Laptop bag", presence: .unknown, stamp: stamp(uptime: 7),
                error: "keys has the same identity"),
            #"""
            {"v":1,"item":"laptop-bag","name":"Laptop bag","presence":"unknown",
            "at":"2026-11-21T05:40:12.345Z","boot":"17.kfqx","uptime_ms":7,"error":"keys has the same identity"}
            """#)
    }

    @Test func `an item's events are written and read`() throws {
        func event(_ change: ItemEvent.Change) -> ItemEvent {
            ItemEvent(change, seq: 3, item: "laptop-bag", name: "Laptop bag", stamp: stamp(uptime: 7))
        }
        func golden(_ word: String, _ rooms: String) -> String {
            #"{"v":1,"event_type":"\#(word)","id":"17.kfqx-3","seq":3,"item":"laptop-bag","name":"Laptop bag","#
                + rooms + #""at":"2026-11-21T05:40:12.345Z","boot":"17.kfqx","uptime_ms":7}"#
        }
        try check(event(.moved(from: "Hall", to: "Kitchen")), golden("moved", #""from":"Hall","to":"Kitchen","#))
        try check(event(.left(from: "Hall")), golden("left", #""from":"Hall","#))
        try check(event(.left(from: nil)), golden("left", ""))
        try check(event(.returned(to: "Hall")), golden("returned", #""to":"Hall","#))
        let battery = TagReadings(batteryPercent: 12, batteryMillivolts: 2350)
        try check(event(.low(battery)), golden("low", #""battery_percent":12,"battery_mv":2350,"#))
        var caused = event(.left(from: nil))
        caused.cause = ItemEvent.Cause(EventID(boot: kitchenBoot, seq: 12), at: "hall")
        try check(caused, golden("left", #""gateway":"hall","gateway_event":"17.kfqx-12","#))
    }

    @Test func `a notification is written and read`() throws {
        try check(
            Notification(
                id: EventID(boot: kitchenBoot, seq: 3), kind: .left,
                message: "Are you forgetting something? Laptop bag has left (last: Hall).", item: "laptop-bag",
                count: 2,
                nextAt: kitchenAt + .seconds(300), since: kitchenAt, stamp: stamp(uptime: 7)),
            #"""
            {"v":1,"id":"17.kfqx-3","kind":"left",
            "message":"Are you forgetting something? Laptop bag has left (last: Hall).","item":"laptop-bag","count":2,
            "next_at":"2026-11-21T05:45:12.345Z","since":"2026-11-21T05:40:12.345Z",
            "at":"2026-11-21T05:40:12.345Z","boot":"17.kfqx","uptime_ms":7}
            """#)
    }

    @Test func `the aggregator's info is written and read`() throws {
        try check(
            AggregatorInfo(
                version: "1.0.0", stamp: stamp(uptime: 7), items: 12, gatewaysAlive: 3, gatewaysGone: 1,
                log: [LogRange(boot: kitchenBoot, seqs: SeqRange(from: 2, to: 2))], revision: 42, active: "left",
                standby: ["right"], people: AddedPeople(changes: 3, ids: ["anna"])),
            #"""
            {"v":1,"version":"1.0.0","boot":"17.kfqx","uptime_ms":7,"at":"2026-11-21T05:40:12.345Z","valid_for_s":75,
            "items":12,"gateways":{"alive":3,"gone":1},"log":[{"boot":"17.kfqx","from_seq":2,"to_seq":2}],
            "revision":42,"problems":[],"active":"left","standby":["right"],"people":{"changes":3,"ids":["anna"]}}
            """#)
    }
}
