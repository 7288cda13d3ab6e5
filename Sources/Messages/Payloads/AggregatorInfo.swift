/// The aggregator's heartbeat: the number of its items and gateways, the contents of its event log, and its problems.
package struct AggregatorInfo: Payload {
    package var version: String
    /// When the message was sent. Readers derive the offset between the sender's clock and their own.
    package var stamp: Stamp
    /// See `Validity.heartbeatSeconds`.
    package var validFor: UInt32
    package var items: Int
    package var gatewaysAlive: Int
    /// The number of known gateways that are not alive.
    package var gatewaysGone: Int
    /// The rooms that the configuration gives to gateways that report another room, by gateway; only the first that fit are sent.
    package var rooms: [String: String] = [:]
    /// The floors of the rooms that the configuration or the drawn plan has, by room; only the first that fit are sent.
    package var floors: [String: Int] = [:]
    /// The contents of the event log, oldest run id first; only the newest `GatewayInfo.longestList` ranges are sent.
    package var log: [LogRange]
    /// The registry's revision.
    package var revision: UInt64
    /// The current problems, each in a sentence; only the first `GatewayInfo.longestList` are sent.
    package var problems: [String]
    /// The name of the active aggregator, if there are several.
    package var active: String?
    /// The names of the aggregators on standby that are connected, if there are several.
    package var standby: [String]?
    /// The people that were added by command, if there are several aggregators.
    package var people: AddedPeople?
    /// The most names that are sent.
    package static let longestStandby = 16

    package init(
        version: String, stamp: Stamp, validFor: UInt32 = Validity.heartbeatSeconds, items: Int, gatewaysAlive: Int,
        gatewaysGone: Int, log: [LogRange] = [], revision: UInt64, problems: [String] = [], active: String? = nil,
        standby: [String]? = nil, people: AddedPeople? = nil
    ) {
        self.version = version
        self.stamp = stamp
        self.validFor = validFor
        self.items = items
        self.gatewaysAlive = gatewaysAlive
        self.gatewaysGone = gatewaysGone
        self.log = log
        self.revision = revision
        self.problems = problems
        self.active = active
        self.standby = standby
        self.people = people
    }

    package var validForSeconds: UInt32? { validFor }

    package func writeFields(to json: inout JSONWriter) {
        json.field("version", version)
        stamp.writeBootFirst(to: &json)
        json.field("valid_for_s", validFor)
        json.field("items", items)
        json.object("gateways") { json in
            json.field("alive", gatewaysAlive)
            json.field("gone", gatewaysGone)
        }
        // Beside the problems, which have a list's budget.
        var rest = PayloadBudget.list / 3
        if !rooms.isEmpty {
            json.array("rooms") { json in
                for (gateway, room) in rooms.sorted(by: { $0.key < $1.key }).prefix(GatewayInfo.longestList) {
                    rest -= PayloadBudget.length(of: gateway) + PayloadBudget.length(of: room) + Self.roomKeys
                    guard rest >= 0 else { break }
                    json.object { json in
                        json.field("gateway", gateway)
                        json.field("room", room)
                    }
                }
            }
        }
        if !floors.isEmpty {
            json.array("floors") { json in
                for (room, floor) in floors.sorted(by: { $0.key < $1.key }).prefix(GatewayInfo.longestList) {
                    rest -= PayloadBudget.length(of: room) + Self.floorKeys
                    guard rest >= 0 else { break }
                    json.object { json in
                        json.field("room", room)
                        json.field("floor", floor)
                    }
                }
            }
        }
        json.array("log", log.suffix(GatewayInfo.longestList))
        json.field("revision", revision)
        json.field("problems", problems.fitting(count: GatewayInfo.longestList))
        json.field("active", active)
        if let standby { json.field("standby", Array(standby.prefix(Self.longestStandby))) }
        if let people {
            json.object("people") { json in
                json.field("changes", people.changes)
                json.field("ids", people.ids)
            }
        }
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        version = try fields.text("version")
        stamp = try Stamp(reading: &fields)
        validFor = try fields.validity()
        items = try fields.count("items", in: Fields.gauges)
        guard let object = try fields.optionalObject("gateways") else { throw .missing("gateways") }
        var gateways = Fields(object)
        gatewaysAlive = try gateways.count("alive", in: Fields.gauges)
        gatewaysGone = try gateways.count("gone", in: Fields.gauges)
        if fields.value("rooms") != nil {
            for (gateway, room) in try fields.array("rooms", limit: GatewayInfo.longestList, Self.room) {
                rooms[gateway] = room
            }
        }
        if fields.value("floors") != nil {
            for (room, floor) in try fields.array("floors", limit: GatewayInfo.longestList, Self.floor) {
                floors[room] = floor
            }
        }
        log = try fields.entries("log", limit: GatewayInfo.longestList)
        revision = try fields.count("revision", in: Fields.counts)
        problems = try fields.texts("problems", limit: GatewayInfo.longestList)
        active = try fields.optionalText("active")
        standby = try fields.optionalTexts("standby", limit: Self.longestStandby)
        guard let object = try fields.optionalObject("people") else { return }
        var added = Fields(object)
        people = AddedPeople(
            changes: try added.count("changes", in: Fields.counts),
            ids: try added.ids("ids", limit: GatewayInfo.longestList))
    }

    /// The bytes of one of the rooms besides its texts.
    private static let roomKeys = #"{"gateway":,"room":},"#.utf8.count

    /// The bytes of the floor of one room besides its name.
    private static let floorKeys = #"{"room":,"floor":-1000},"#.utf8.count

    private static func floor(_ value: JSONValue) throws(PayloadRefusal) -> (room: String, floor: Int) {
        var fields = try Fields(value, of: "floors")
        return (try fields.text("room"), try fields.count("floor", in: -1000...1000))
    }

    private static func room(_ value: JSONValue) throws(PayloadRefusal) -> (gateway: String, room: String) {
        var fields = try Fields(value, of: "rooms")
        return (try fields.id("gateway"), try fields.text("room"))
    }
}

/// The people that were added by command: an aggregator that was down learns from them who was removed meanwhile.
package struct AddedPeople: Hashable, Sendable {
    /// How often a person was added or removed. Of two lists, the one with more changes is the later.
    package var changes: UInt64
    package var ids: [String]

    package init(changes: UInt64, ids: [String]) { (self.changes, self.ids) = (changes, ids) }
}
