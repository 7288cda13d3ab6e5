import Beacons

/// An event of an item: the item moved between rooms, left the site, returned to it, is where its owners are not, or its tag's battery is low.
package struct ItemEvent: Payload {
    /// The kinds of events. A change from or to `unknown` is no event.
    package enum Change: Hashable, Sendable {
        case moved(from: String, to: String)
        /// The item left the site; `from` is its last room, if known.
        case left(from: String?)
        /// The item returned to the site; `to` is its room, if known.
        case returned(to: String?)
        /// The last owner who was home departed, and the item stayed; `by` are the ids of those who departed then.
        case forgotten(in: String?, by: [String])
        /// The item left the site without any of its owners; `from` is its last room, if known.
        case taken(from: String?)
        /// The item is in a room in which it must not be alone, and no owner is near.
        case alone(in: String?)
        /// The battery of the item's tag has become low; these are the tag's last readings.
        case low(TagReadings)

        /// The value of `event_type`.
        package var word: String {
            switch self {
            case .moved: "moved"
            case .left: "left"
            case .returned: "returned"
            case .forgotten: "forgotten"
            case .taken: "taken"
            case .alone: "alone"
            case .low: "low"
            }
        }

        /// Whether the item left or returned.
        package var isPresence: Bool {
            switch self {
            case .left, .returned: true
            case .moved, .forgotten, .taken, .alone, .low: false
            }
        }

        package var isLow: Bool { if case .low = self { true } else { false } }

        /// Writes the keys `from`, `to` and `room`, as far as the change has them.
        package func writeRooms(to json: inout JSONWriter) {
            switch self {
            case .moved(let from, let to):
                json.field("from", from)
                json.field("to", to)
            case .left(let from), .taken(let from): json.field("from", from)
            case .returned(let to): json.field("to", to)
            case .forgotten(let room, _), .alone(let room): json.field("room", room)
            case .low: break
            }
        }
    }

    /// The event of a gateway from which an event of an item follows: the last exit, or the first enter.
    package struct Cause: Hashable, Sendable {
        /// The gateway's id.
        package var gateway: String
        /// The id of the gateway's event, which is unique among the events of this gateway.
        package var event: EventID

        package init(_ event: EventID, at gateway: String) { (self.gateway, self.event) = (gateway, event) }

        package func writeFields(to json: inout JSONWriter) {
            json.field("gateway", gateway)
            json.field("gateway_event", event.description)
        }

        /// Reads the keys; `nil` if they are missing.
        package init?(reading fields: inout Fields) throws(PayloadRefusal) {
            let gateway = try fields.optionalParsed("gateway") { isValidID($0) ? $0 : nil }
            let event = try fields.optionalParsed("gateway_event") { EventID($0) }
            guard let gateway, let event else { return nil }
            self.init(event, at: gateway)
        }
    }

    package var change: Change
    /// The event's number in the aggregator's log, counted per run id.
    package var seq: UInt64
    package var item: String
    package var name: String
    /// When the event happened. The time of `left` is the `at` of the last exit.
    package var stamp: Stamp
    /// The event of a gateway from which the event follows; `nil`: it follows from none, or an earlier version published it.
    package var cause: Cause?
    /// Why the item is away, if it has probably not left; `nil`: it has.
    package var probableCause: ProbableCause?

    /// The event's unique id, by which readers drop duplicates.
    package var id: EventID { EventID(boot: stamp.boot, seq: seq) }

    package init(
        _ change: Change, seq: UInt64, item: String, name: String, stamp: Stamp, cause: Cause? = nil,
        probableCause: ProbableCause? = nil
    ) {
        self.change = change
        self.seq = seq
        self.item = item
        self.name = name
        self.stamp = stamp
        self.cause = cause
        self.probableCause = probableCause
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("event_type", change.word)
        json.field("id", id.description)
        json.field("seq", seq)
        json.field("item", item)
        json.field("name", name)
        change.writeRooms(to: &json)
        if case .forgotten(_, let people) = change { json.field("people", people) }
        if case .low(let readings) = change { readings.writeFields(to: &json) }
        cause?.writeFields(to: &json)
        json.field("probable_cause", probableCause?.rawValue)
        stamp.writeTimeFirst(to: &json)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        let word = try fields.text("event_type")
        (seq, stamp) = try fields.event()
        item = try fields.id("item")
        name = try fields.text("name")
        switch word {
        case "moved": change = .moved(from: try fields.text("from"), to: try fields.text("to"))
        case "left": change = .left(from: try fields.optionalText("from"))
        case "returned": change = .returned(to: try fields.optionalText("to"))
        case "forgotten":
            change = .forgotten(
                in: try fields.optionalText("room"),
                by: fields.value("people") == nil ? [] : try fields.ids("people", limit: Ownership.most))
        case "taken": change = .taken(from: try fields.optionalText("from"))
        case "alone": change = .alone(in: try fields.optionalText("room"))
        case "low": change = .low(try TagReadings(reading: &fields))
        default: throw .malformed("event_type")
        }
        cause = try Cause(reading: &fields)
        probableCause = try fields.optionalParsed("probable_cause", ProbableCause.init(rawValue:))
    }
}
