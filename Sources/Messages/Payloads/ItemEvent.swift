import Beacons

/// An event of an item: the item moved between rooms, left the site, or returned to it.
public struct ItemEvent: Payload {
    /// The kinds of events. A change from or to `unknown` is no event.
    public enum Change: Hashable, Sendable {
        /// The item moved from one room to another.
        case moved(from: String, to: String)
        /// The item left the site; `from` is its last room, if known.
        case left(from: String?)
        /// The item returned to the site; `to` is its room, if known.
        case returned(to: String?)

        /// The value of `event_type`.
        public var word: String {
            switch self {
            case .moved: "moved"
            case .left: "left"
            case .returned: "returned"
            }
        }
    }

    /// The event of a gateway from which an event of an item follows: the last exit, or the first enter.
    public struct Cause: Hashable, Sendable {
        /// The gateway's id.
        public var gateway: String
        /// The id of the gateway's event, which is unique among the events of this gateway.
        public var event: EventID

        /// The event of a gateway.
        public init(_ event: EventID, at gateway: String) { (self.gateway, self.event) = (gateway, event) }

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

    /// The kind of the event.
    public var change: Change
    /// The event's number in the aggregator's log, counted per run id.
    public var seq: UInt64
    /// The item's id.
    public var item: String
    /// The item's name.
    public var name: String
    /// When the event happened. The time of `left` is the `at` of the last exit.
    public var stamp: Stamp
    /// The event of a gateway from which the event follows; `nil`: it follows from none, or an earlier version published it.
    public var cause: Cause?

    /// The event's unique id, by which readers drop duplicates.
    public var id: EventID { EventID(boot: stamp.boot, seq: seq) }

    /// Creates an event from all its properties.
    public init(
        _ change: Change, seq: UInt64, item: String, name: String, stamp: Stamp, cause: Cause? = nil
    ) {
        self.change = change
        self.seq = seq
        self.item = item
        self.name = name
        self.stamp = stamp
        self.cause = cause
    }

    /// Writes the keys in the order of the reference's page for this payload.
    public func write(to json: inout JSONWriter) {
        json.payload { json in
            json.field("event_type", change.word)
            json.field("id", id.description)
            json.field("seq", seq)
            json.field("item", item)
            json.field("name", name)
            change.writeRooms(to: &json)
            cause?.writeFields(to: &json)
            stamp.writeTimeFirst(to: &json)
        }
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        let word = try fields.text("event_type")
        let id = try fields.eventID()
        seq = id.seq
        item = try fields.id("item")
        name = try fields.text("name")
        switch word {
        case "moved": change = .moved(from: try fields.text("from"), to: try fields.text("to"))
        case "left": change = .left(from: try fields.optionalText("from"))
        case "returned": change = .returned(to: try fields.optionalText("to"))
        default: throw .malformed("event_type")
        }
        stamp = try Stamp(reading: &fields)
        guard stamp.boot == id.boot else { throw .contradiction("boot") }
        cause = try Cause(reading: &fields)
    }

    /// Checks the item against the topic's.
    public func contradiction(with topic: Topic) -> String? {
        if case .itemEvent(let item) = topic, item != self.item { "item" } else { nil }
    }
}

extension ItemEvent.Change {
    /// Writes the keys `from` and `to`, as far as the change has them.
    package func writeRooms(to json: inout JSONWriter) {
        switch self {
        case .moved(let from, let to):
            json.field("from", from)
            json.field("to", to)
        case .left(let from): json.field("from", from)
        case .returned(let to): json.field("to", to)
        }
    }
}
