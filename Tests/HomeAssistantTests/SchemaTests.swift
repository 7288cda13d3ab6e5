import HomeAssistant
import Messages
import Testing

/// The requirements of Home Assistant for a device's discovery payload, measured with both supported releases.
struct SchemaTests {
    @Test(arguments: Site.devices.indices)
    func `a device has the required keys`(index: Int) throws {
        let payload = try Payload(Site.devices[index])
        #expect(payload.device["identifiers"]?.array?.count == 1)
        #expect(payload.device.text("name")?.isEmpty == false)
        #expect(payload.object["o"]?.object?.text("name") == "Forgetmenot")
        #expect(payload.object["child_devices"] == nil, "2025.4.4 knows no such thing")
        #expect(!payload.components.isEmpty)
    }

    @Test(arguments: Site.devices.indices)
    func `an entity has the keys that its platform requires`(index: Int) throws {
        for (key, fields) in try Payload(Site.devices[index]).components {
            let required: [String: [String]] = [
                "binary_sensor": ["state_topic"], "button": ["command_topic"], "device_tracker": ["state_topic"],
                "event": ["state_topic", "event_types"], "sensor": ["state_topic", "value_template"],
                "device_automation": ["automation_type", "type", "subtype", "topic", "payload"],
            ]
            #expect(!key.contains(" "), "Home Assistant would take it for two keys")
            let platform = try #require(fields.text("p"))
            for name in try #require(required[platform], "\(platform) is none of ours") {
                #expect(fields[name] != nil, "\(key) lacks \(name)")
            }
            guard platform != "device_automation" else { continue }
            #expect(fields.text("unique_id") != nil, "\(key)")
            #expect(fields["name"] != nil, "\(key): a name, or null for the main entity")
            let entityID = try #require(fields.text("default_entity_id"))
            #expect(entityID == "\(platform).\(fields.text("object_id")!)")
            #expect(entityID.wholeMatch(of: /[a-z_]+\.[a-z0-9]+(_[a-z0-9]+)*/) != nil, "\(entityID)")
        }
    }

    @Test func `unique ids and entity ids are unique`() throws {
        let entities = try Site.devices.flatMap { try Payload($0).components }.map(\.fields)
        for key in ["unique_id", "default_entity_id"] {
            let ids = entities.compactMap { $0.text(key) }
            #expect(Set(ids).count == ids.count)
        }
        let triggers = try Site.devices.map {
            try Payload($0).components.map(\.fields).filter { $0.text("p") == "device_automation" }
        }
        for device in triggers {
            #expect(Set(device.map { "\($0.text("type")!) \($0.text("subtype")!)" }).count == device.count)
        }
    }

    /// Users' automations depend on these ids; a change of this list breaks them.
    @Test func `an item's ids never change`() throws {
        let ids = try Payload(Device(item: Site.bag, receivedBy: [Site.kitchen.id], under: .standard)).components
            .compactMap {
                $0.fields.text("unique_id")
            }
        let keys = [
            "tracker", "presence", "room", "distance", "proximity", "last_seen", "event", "notification", "acknowledge",
            "last_seen_exactly", "confidence", "nearest_gateway", "rssi", "floor", "interval", "sightings", "trend",
            "notification_active", "message",
            "distance:kitchen",
        ]
        #expect(ids == keys.map { "forgetmenot_item_laptop-bag:\($0)" })
        var renamed = Site.bag
        renamed.name = "Rucksack"
        let after = try Payload(Device(item: renamed, receivedBy: [Site.kitchen.id], under: .standard)).components
        #expect(after.compactMap { $0.fields.text("unique_id") } == ids)
    }

    /// Automations recognise events by these triggers, because the state of an `event` entity is restored after every
    /// restart.
    @Test func `an item's triggers never change, and each fires on an event type of its event entity`() throws {
        let item = try Payload(Device(item: Site.bag, receivedBy: [], under: .standard))
        let triggers = item.components.map(\.fields).filter { $0.text("p") == "device_automation" }
        #expect(
            triggers.map { "\($0.text("type")!) \($0.text("subtype")!)" } == [
                "moved item", "left item", "returned item", "notification left", "sent: left notification",
                "notification returned", "sent: returned notification",
            ])
        for trigger in triggers {
            #expect(trigger.text("automation_type") == "trigger")
            let event = item.components.map(\.fields).first {
                $0.text("p") == "event" && $0.text("state_topic") == trigger.text("topic")
            }
            let words = try #require(event?["event_types"]?.array).compactMap(\.string)
            #expect(words.contains(try #require(trigger.text("payload"))))
        }
    }

    /// Releases from 2026 on use `in_zones` for a zone, earlier ones use the state.
    @Test func `the tracker has its zone in both forms, and distances are in metres`() throws {
        let item = try Payload(Device(item: Site.bag, receivedBy: [Site.kitchen.id], under: .standard))
        let tracker = try #require(item.component("tracker"))
        #expect(["gps", "router", "bluetooth", "bluetooth_le"].contains(tracker.text("source_type")))
        #expect(tracker.text("value_template")?.contains("not_home") == true)
        #expect(tracker.text("json_attributes_topic") == tracker.text("state_topic"))
        #expect(tracker.text("json_attributes_template")?.contains("'in_zones': ['zone.home']") == true)
        // Of a site with many items, none has a zone. That a battery is probably empty is known of all of them.
        let many = try Payload(Device(item: Site.bag, receivedBy: [], under: .standard, isInZone: false))
        #expect(many.component("tracker")?.text("json_attributes_template")?.contains("in_zones") == false)
        for (device, key, field) in [
            (item, "tracker", "json_attributes_template"), (many, "tracker", "json_attributes_template"),
            (item, "event", "value_template"),
        ] {
            #expect(device.component(key)?.text(field)?.contains("'probable_cause': v.probable_cause") == true)
        }
        for key in ["distance", "distance:kitchen"] {
            #expect(item.component(key)?.text("device_class") == "distance")
            #expect(item.component(key)?.text("unit_of_measurement") == "m")
        }
    }

    @Test func `a battery is a percentage, or else a voltage, and an item whose tag reports none has no entity for it`()
        throws
    {
        for (battery, unit) in [(Device.Battery.percent, "%"), (.voltage, "mV")] {
            let item = try Payload(Device(item: Site.bag, receivedBy: [], battery: battery, under: .standard))
            let fields = try #require(item.component(battery.rawValue))
            #expect(fields.text("p") == "sensor" && fields.text("unit_of_measurement") == unit)
            #expect(fields.text("device_class") == (battery == .percent ? "battery" : "voltage"))
            #expect(fields.text("state_topic") == "forgetmenot/items/laptop-bag/health")
            #expect(item.components.count { $0.key.hasPrefix("battery") } == 1)
        }
        let item = try Payload(Device(item: Site.bag, receivedBy: [], under: .standard))
        #expect(item.components.allSatisfy { !$0.key.hasPrefix("battery") })
    }

    @Test func `what few need of an item is disabled, and the rest is not`() throws {
        let item = try Payload(
            Device(item: Site.bag, receivedBy: [Site.kitchen.id], battery: .percent, under: .standard))
        let disabled = item.components.filter { $0.fields["enabled_by_default"]?.bool == false }.map(\.key)
        #expect(
            disabled == [
                "last_seen_exactly", "confidence", "nearest_gateway", "rssi", "floor", "interval", "sightings", "trend",
                "distance:kitchen",
            ])
        #expect(item.component("trend")?.text("state_topic") == "forgetmenot/items/laptop-bag/health")
    }

    @Test func `numbers have a unit, and Home Assistant keeps statistics of them`() throws {
        for device in Site.devices {
            for (key, fields) in try Payload(device).components {
                #expect(
                    (fields["unit_of_measurement"] != nil) == (fields.text("state_class") == "measurement"), "\(key)")
            }
        }
    }

    @Test func `whether a notification is active comes from what is retained, and its text from the event`() throws {
        let item = try Payload(Device(item: Site.bag, receivedBy: [], under: .standard))
        let active = try #require(item.component("notification_active"))
        #expect(active.text("p") == "binary_sensor")
        #expect(active.text("state_topic") == "forgetmenot/items/laptop-bag/notification")
        #expect(active.text("json_attributes_topic") == active.text("state_topic"))
        #expect(item.component("message")?.text("state_topic") == "forgetmenot/items/laptop-bag/notification/event")
    }

    @Test func `a device names its program, its hardware and the page`() throws {
        let kitchen = KnownGateway(id: "kitchen", room: "Kitchen", address: "B8:27:EB:00:00:01")
        let gateway = try Payload(Device(gateway: kitchen, hasParent: true, under: .standard)).device
        #expect(gateway.text("model_id") == "forgetmenot-gateway")
        #expect(gateway.text("serial_number") == "B8:27:EB:00:00:01")
        #expect(try Payload(Site.devices[1]).device.text("serial_number") == nil, "its address is not known")
        var item = Device(item: Site.bag, receivedBy: [], under: .standard)
        #expect(try Payload(item).device.text("configuration_url") == nil)
        item.configurationURL = "https://house.example"
        #expect(try Payload(item).device.text("configuration_url") == "https://house.example")
        #expect(try Payload(item).device.text("serial_number") == "\(Site.bag.beacon)")
        #expect(try Payload(item).device.text("suggested_area") == nil, "an item has no area, as it is carried")
    }

    @Test(arguments: [
        (KnownGateway(id: "kitchen", room: "Kitchen"), "Gateway Kitchen"),
        (KnownGateway(id: "pi-3", room: "Kitchen"), "Gateway Kitchen (pi-3)"),
        (KnownGateway(id: "pi-3", room: "pi-3"), "Gateway pi-3"), (KnownGateway(id: "pi-3"), "Gateway pi-3"),
    ])
    func `a gateway is named by its room, and by its id if that is another word`(gateway: KnownGateway, name: String)
        throws
    {
        let device = try Payload(Device(gateway: gateway, hasParent: true, under: .standard))
        #expect(device.device.text("name") == name)
        #expect(
            device.component("beacons")?.text("default_entity_id")
                == "sensor.gateway_\(gateway.id == "pi-3" ? "pi_3" : "kitchen")_beacons", "ids do not follow the room")
    }

    @Test func `all topics of entities belong to this project`() throws {
        for device in Site.devices {
            let payload = try Payload(device)
            for name in payload.object.texts({ $0 == "topic" || $0.hasSuffix("_topic") }) {
                #expect(Topic(named: name, under: .standard) != nil, "\(name)")
            }
            for (key, fields) in payload.components
            where fields["event_types"] != nil || fields.text("p") == "device_automation" {
                let name = try #require(fields.text("state_topic") ?? fields.text("topic"))
                #expect(
                    Topic(named: name, under: .standard)?.isRetained == false, "\(key): what is kept would happen again"
                )
            }
        }
    }

    @Test func `a state depends on the aggregator's availability, and a gateway's values on both`() throws {
        let item = try Payload(Device(item: Site.bag, receivedBy: [Site.kitchen.id], under: .standard))
        let topics = { (key: String) in
            item.component(key)?["availability"]?.array?.compactMap { $0.object?.text("topic") }
        }
        #expect(topics("room") == ["forgetmenot/aggregator/availability"])
        #expect(
            topics("distance:kitchen") == [
                "forgetmenot/aggregator/availability", "forgetmenot/gateways/kitchen/availability",
            ])
        #expect(item.component("distance:kitchen")?.text("availability_mode") == "all")
        #expect(item.component("distance:kitchen")?["enabled_by_default"]?.bool == false)
        #expect(item.component("room")?["enabled_by_default"] == nil)
        let gateway = try Payload(Device(gateway: Site.kitchen, hasParent: true, under: .standard))
        #expect(gateway.component("connectivity")?["availability"] == nil, "that it is gone is what it says")
        let alone = try Payload(Device(gateway: Site.kitchen, regions: [Site.key], hasParent: false, under: .standard))
        for (key, fields) in alone.components where key != "connectivity" && fields.text("p") != "device_automation" {
            let topics = fields["availability"]?.array?.compactMap { $0.object?.text("topic") }
            #expect(topics == ["forgetmenot/gateways/kitchen/availability"], "\(key)")
        }
    }

    @Test func `the main entity has only the device's name, and others append their own`() throws {
        let item = try Payload(Device(item: Site.bag, receivedBy: [], under: .standard))
        #expect(item.component("tracker")?["name"] == .null)
        #expect(item.component("tracker")?.text("default_entity_id") == "device_tracker.laptop_bag")
        #expect(item.component("last_seen")?.text("name") == "Last seen")
        #expect(item.component("last_seen")?.text("default_entity_id") == "sensor.laptop_bag_last_seen")
        #expect(item.device.text("name") == "Laptop bag")
    }

    @Test func `the aggregator is the parent, and a gateway's room is its area`() throws {
        #expect(try Payload(Site.devices[0]).device.text("via_device") == nil)
        let gateway = try Payload(Site.devices[1]).device
        #expect(gateway.text("via_device") == "forgetmenot_aggregator")
        #expect(gateway.text("suggested_area") == "Kitchen")
        #expect(gateway.text("sw_version") == "1.0.0")
        #expect(try Payload(Site.devices[2]).device.text("via_device") == nil, "a gateway alone has no parent")
        #expect(try Payload(Site.devices[3]).device.text("via_device") == "forgetmenot_aggregator")
    }

    @Test func `a removed component is named once more with only its platform`() throws {
        let payload = try Payload(Site.devices[1], without: ["distance:hall": "sensor"])
        #expect(payload.component("distance:hall")?.members.map(\.key) == ["p"])
        #expect(payload.component("distance:hall")?.text("p") == "sensor")
    }

    @Test func `every template works with an empty payload`() throws {
        // Home Assistant logs each missing key. Names that do not begin with `v` are variables of the template.
        for device in Site.devices {
            for template in try Payload(device).object.texts({ $0.hasSuffix("_template") }) {
                #expect(template.hasPrefix("{% set v = value_json | default({}) %}"))
                #expect(template.ranges(of: "value_json").count == 1)
            }
        }
    }
}

extension SchemaTests {
    @Test func `a working radio has no reason`() throws {
        let gateway = try Payload(Device(gateway: Site.kitchen, hasParent: true, under: .standard))
        let template = try #require(gateway.component("radio_problem")?.text("json_attributes_template"))
        #expect(template.contains("!= 'powered_on'") && template.contains("else {}"))
    }
}
