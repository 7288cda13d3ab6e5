import Beacons
import Messages
import Testing

@testable import HomeAssistant

struct AnnouncerTests {
    private let now = Instant.zero + .seconds(1000)
    private let prefix = TopicPrefix("homeassistant")!
    private let item = Device(item: Site.bag, receivedBy: [], under: .standard)

    private func announcer(isOn: Bool = true) -> Announcer {
        Announcer(.aggregator, version: "1", under: prefix, isOn: isOn)
    }

    @Test func `a device is announced once, and again after a change`() {
        var announcer = announcer()
        #expect(announcer.announce([item], at: now).count == 1)
        #expect(announcer.announce([item], at: now) == [])
        let received = Device(item: Site.bag, receivedBy: [Site.kitchen.id], under: .standard)
        #expect(announcer.announce([received], at: now).count == 1)
    }

    @Test func `a removed component is named once and then omitted`() throws {
        var announcer = announcer()
        _ = announcer.announce([Device(item: Site.bag, receivedBy: [Site.kitchen.id], under: .standard)], at: now)
        let messages = announcer.announce([item], at: now).map { String(decoding: $0.payload, as: UTF8.self) }
        try #require(messages.count == 2)
        #expect(messages[0].contains("\"distance:kitchen\":{\"p\":\"sensor\"}"))
        #expect(!messages[1].contains("distance:kitchen"))
        #expect(announcer.announce([item], at: now) == [])
    }

    @Test func `a battery that is no longer reported goes, and comes back, also in a device of an earlier run`() {
        let reporting = Device(item: Site.bag, receivedBy: [], battery: .percent, under: .standard)
        var announcer = announcer()
        announcer.take(
            reporting.payload(by: .aggregator, version: "1"), of: reporting.id, isRequested: true, at: now)
        for _ in 1...2 {
            let gone = announcer.announce([item], at: now).map { String(decoding: $0.payload, as: UTF8.self) }
            #expect(gone.count == 2 && gone[0].contains("\"battery\":{\"p\":\"sensor\"}"))
            #expect(gone.last?.contains("\"battery\":") == false)
            let back = announcer.announce([reporting], at: now).map { String(decoding: $0.payload, as: UTF8.self) }
            #expect(back.count == 1 && back[0].contains("\"unique_id\":\"forgetmenot_item_laptop-bag:battery\""))
        }
        for battery in Device.Battery.allCases {
            let other = Device(item: Site.bag, receivedBy: [], battery: battery, under: .standard)
            announcer.take(other.payload(by: .aggregator, version: "2"), of: other.id, isRequested: true, at: now)
            #expect(announcer.problems(at: now) == [], "another aggregator may announce it")
        }
    }

    @Test func `a removed device is cleared once`() {
        var announcer = announcer()
        _ = announcer.announce([Device(gateway: Site.kitchen, hasParent: true, under: .standard)], at: now)
        let messages = announcer.announce([], at: now)
        #expect(messages.map(\.payload) == [[]])
        #expect(messages[0].isRetained)
        #expect(announcer.announce([], at: now) == [], "for a device that it does not know, Home Assistant warns")
    }

    @Test func `disabled entities are enabled for a moment before their device is removed`() throws {
        var announcer = announcer()
        _ = announcer.announce([Device(item: Site.bag, receivedBy: [Site.kitchen.id], under: .standard)], at: now)
        let messages = announcer.announce([], at: now)
        try #require(messages.count == 2)
        let text = String(decoding: messages[0].payload, as: UTF8.self)
        #expect(text.contains(":distance:kitchen:leaving") && !text.contains("enabled_by_default"))
        #expect(messages[1].payload == [])
    }

    @Test(arguments: [true, false])
    func `an entity that leaves has an id of its own, and its device names no parent`(isOfEarlierRun: Bool) throws {
        let device = Device(item: Site.bag, receivedBy: [Site.kitchen.id], under: .standard)
        var announcer = announcer()
        if isOfEarlierRun {
            announcer.take(device.payload(by: .aggregator, version: "1"), of: device.id, at: now)
        } else {
            _ = announcer.announce([device], at: now)
        }
        let messages = announcer.announce([], at: now)
        try #require(messages.count == 2)
        let leaving = try #require(try JSONValue(parsing: messages[0].payload, limits: .list).object)
        #expect(leaving["dev"]?.object?["via_device"] == nil)
        let entity = try #require(leaving["cmps"]?.object?["distance:kitchen"]?.object)
        #expect(entity.text("default_entity_id") == "sensor.laptop_bag_distance_to_kitchen_leaving")
        #expect(entity.text("object_id") == "laptop_bag_distance_to_kitchen_leaving")
        #expect(
            leaving["cmps"]?.object?["room"]?.object?.text("default_entity_id") == "sensor.laptop_bag_room",
            "the others stay as they are")
        // The echo of the payload, which the broker retains for a moment, is the aggregator's own.
        announcer.take(messages[0].payload, of: device.id, at: now)
        #expect(announcer.problems(at: now) == [])
    }

    @Test(arguments: [true, false])
    func `a device that was removed while Home Assistant was down is shown, known by its echo, and cleared, each time`(
        isOn: Bool
    ) throws {
        let devices =
            Site.ours + [
                Device(person: Person(id: "anna", name: "Anna"), under: .standard),
                Device(room: "Hall", id: "hall", under: .standard),
            ]
        var announcer = announcer(isOn: isOn)
        var now = now
        for round in 1...2 {
            for device in devices {
                // As it stands at the broker, from an earlier run.
                announcer.take(device.payload(by: .aggregator, version: "1"), of: device.id, at: now)
            }
            #expect(announcer.announce([], at: now).filter(\.payload.isEmpty).count == devices.count)
            for device in devices { announcer.take([], of: device.id, at: now) }
            now = now + .seconds(20)
            announcer.born(knowing: .zero)
            announcer.begin()
            let shown = announcer.announce([], at: now)
            try #require(shown.count == devices.count && !shown.contains(where: \.payload.isEmpty))
            for message in shown {
                let text = message.topic.split(separator: "/")[2]
                announcer.take(message.payload, of: try #require(DeviceID(String(text))), at: now)
            }
            #expect(announcer.problems(at: now) == [], "round \(round)")
            now = now + Announcer.showing
            let cleared = announcer.announce(most: .max, at: now) { _ in nil }.messages.filter(\.payload.isEmpty)
            #expect(Set(cleared.map(\.topic)) == Set(shown.map(\.topic)), "round \(round)")
            for device in devices { announcer.take([], of: device.id, at: now) }
            announcer.connectionLost()
            now = now + .seconds(20)
        }
    }

    @Test(arguments: [true, false])
    func `items are cleared before gateways, and the parent of all is cleared last`(isOfEarlierRun: Bool) {
        var announcer = announcer()
        if isOfEarlierRun {
            for device in Site.ours {
                announcer.take(device.payload(by: .aggregator, version: "1"), of: device.id, at: now)
            }
        } else {
            _ = announcer.announce(Site.ours, at: now)
        }
        let cleared = announcer.announce([], at: now).filter(\.payload.isEmpty).map(\.topic)
        #expect(
            cleared == [
                "homeassistant/device/forgetmenot_item_laptop-bag/config",
                "homeassistant/device/forgetmenot-kitchen/config", "homeassistant/device/forgetmenot_aggregator/config",
            ])
    }

    @Test func `a retained device of an earlier run that is no longer announced is cleared`() {
        var announcer = announcer()
        announcer.take(item.payload(by: .aggregator, version: "1"), of: item.id, at: now)
        #expect(announcer.announce([], at: now).last?.payload == [])
        #expect(announcer.announce([], at: now) == [])
    }

    @Test func `foreign payloads are not cleared if nothing is announced`() {
        var announcer = announcer(isOn: false)
        announcer.take(Array("{\"o\":{\"name\":\"zigbee2mqtt\"}}".utf8), of: item.id, at: now)
        announcer.take(Array("no JSON".utf8), of: .item("other"), at: now)
        #expect(announcer.announce([], at: now) == [])
    }

    @Test func `a gateway that announces itself is not announced by the aggregator until it stops`() {
        var announcer = announcer()
        let gateway = Device(gateway: Site.kitchen, hasParent: true, under: .standard)
        announcer.take(gateway.payload(by: .gateway, version: "1"), of: gateway.id, at: now)
        #expect(announcer.announce([gateway], at: now) == [])
        #expect(announcer.announce([], at: now) == [], "nor is it taken away")
        announcer.take([], of: gateway.id, at: now)
        #expect(announcer.announce([gateway], at: now).count == 1)
    }

    @Test func `a gateway may be named by its room or by its id, and links nowhere`() {
        var announcer = announcer()
        var gateway = Device(gateway: Site.kitchen, hasParent: true, under: .standard)
        let named = String(decoding: gateway.payload(by: .gateway, version: "1"), as: UTF8.self)
        #expect(named.contains("\"name\":\"Gateway Kitchen\""))
        for name in ["Gateway Kitchen", "Gateway kitchen", "Front door"] {
            let payload = named.split(separator: "Gateway Kitchen").joined(separator: name)
            announcer.take(Array(payload.utf8), of: gateway.id, at: now)
            #expect(announcer.problems(at: now).isEmpty == (name != "Front door"), "\(name)")
        }
        announcer = self.announcer()
        gateway.configurationURL = "https://example.org"
        announcer.take(gateway.payload(by: .gateway, version: "1"), of: gateway.id, at: now)
        #expect(announcer.problems(at: now).count == 1)
        _ = announcer.announce([], at: now)
        var linked = item
        linked.configurationURL = "https://example.org"
        announcer.take(linked.payload(by: .aggregator, version: "1"), of: item.id, at: now)
        #expect(announcer.problems(at: now).count == 1, "an item links to the page")
    }

    @Test func `all devices are announced again after a new beginning`() {
        var announcer = announcer()
        _ = announcer.announce([item], at: now)
        announcer.begin()
        #expect(announcer.announce([item], at: now).count == 1)
    }

    @Test func `a device that another client clears is announced again`() {
        var announcer = announcer()
        let announced = announcer.announce([item], at: now)
        announcer.take(announced[0].payload, of: item.id, at: now)
        #expect(announcer.announce([item], at: now) == [], "its own echo says nothing new")
        announcer.take([], of: item.id, at: now)
        #expect(announcer.announce([item], at: now).count == 1)
    }

    @Test
    func
        `a device that comes back is announced when Home Assistant has removed it, also if the broker has returned the empty payload`()
    {
        var announcer = announcer()
        var now = now
        for _ in 1...2 {
            #expect(announcer.announce([item], at: now).count == 1)
            #expect(announcer.announce([], at: now).last?.payload == [])
            announcer.take([], of: item.id, isRequested: true, at: now)
            #expect(announcer.announce([item], at: now + .milliseconds(400)) == [])
            now = now + .seconds(2)
            #expect(announcer.announce([item], at: now).count == 1)
            // Another client clears it.
            announcer.take([], of: item.id, isRequested: true, at: now)
            #expect(announcer.announce([item], at: now + .seconds(2)).count == 1)
            #expect(announcer.announce([], at: now + .seconds(3)).last?.payload == [])
            now = now + .seconds(20)
        }
    }

    // MARK: Two sites

    private static let cabin = TopicPrefix("cabin/forgetmenot")!
    private static let ofAnotherSite = [
        Device(gateway: Site.kitchen, hasParent: true, under: cabin),
        Device(item: Site.bag, receivedBy: [Site.kitchen.id], battery: .percent, under: cabin),
        Device(item: Site.odd, receivedBy: [], under: cabin, availability: .namedAvailability(aggregator: "north")),
        Device(person: Person(id: "anna", name: "Anna"), under: cabin),
        Device(room: "Hall", id: "hall", under: cabin),
    ]

    @Test(arguments: [true, false])
    func `devices of a site with another prefix stay, when this one begins and later, whether it announces or not`(
        isOn: Bool
    ) {
        var announcer = announcer(isOn: isOn)
        for _ in 1...2 {
            announcer.begin()
            for device in Self.ofAnotherSite {
                let writer: Device.Origin = device.id == .gateway("kitchen") ? .gateway : .aggregator
                announcer.take(device.payload(by: writer, version: "1"), of: device.id, at: now)
            }
            #expect(announcer.announce([], at: now) == [])
            for device in Self.ofAnotherSite {
                announcer.take(device.payload(by: .aggregator, version: "2"), of: device.id, at: now)
            }
            #expect(announcer.announce([], at: now + .seconds(60)) == [])
            #expect(announcer.problems(at: now) == [])
        }
    }

    @Test func `what stands there from before the prefix changed is replaced, with its distances`() throws {
        var announcer = announcer()
        let former = Self.ofAnotherSite[1]
        let sources = announcer.take(
            former.payload(by: .aggregator, version: "1"), of: former.id, isRequested: true, at: now)
        #expect(sources == ["kitchen"])
        let messages = announcer.announce([item], at: now).map { String(decoding: $0.payload, as: UTF8.self) }
        try #require(messages.count == 2)
        #expect(messages[0].contains("\"distance:kitchen\":{\"p\":\"sensor\"}"))
        #expect(!messages[1].contains("cabin") && announcer.problems(at: now) == [])
    }

    @Test func `of two sites' aggregators, the one that began last has the device, and they do not fight for it`() {
        var announcer = announcer()
        let (ours, theirs) = (
            Device.aggregator(version: "1", under: .standard), Device.aggregator(version: "1", under: Self.cabin)
        )
        for round in 1...2 {
            announcer.begin()
            announcer.take(theirs.payload(by: .aggregator, version: "1"), of: .aggregator, isRequested: true, at: now)
            #expect(announcer.announce([ours], at: now).count == 1, "\(round)")
            announcer.take(theirs.payload(by: .aggregator, version: "1"), of: .aggregator, isRequested: true, at: now)
            #expect(announcer.announce([ours], at: now + .seconds(60)) == [])
            #expect(announcer.problems(at: now) == [])
            announcer.connectionLost()
        }
    }
}

extension Announcer {
    /// Announces exactly these devices.
    fileprivate mutating func announce(_ devices: [Device], at now: Instant) -> [ForeignMessage] {
        start(devices.map(\.id))
        return announce(most: .max, at: now) { id in devices.first { $0.id == id } }.messages
    }
}
