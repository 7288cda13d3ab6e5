/// That an item moved from room to room, left the site, or returned to it.
public struct ItemEvent: Payload {
    /// What it did; nothing comes from or goes to `unknown`.
    public enum Change: Hashable, Sendable {
        /// From one room to another.
        case moved(from: String, to: String)
        /// Out of the site, last in that room, if one was known.
        case left(from: String?)
        /// Back to the site, to that room, if one is known.
        case returned(to: String?)

        /// The word of `event_type`.
        public var word: String {
            switch self {
            case .moved: "moved"
            case .left: "left"
            case .returned: "returned"
            }
        }
    }

    /// What it did.
    public var change: Change
    /// Its number in the aggregator's log of the stamp's boot.
    public var seq: UInt64
    /// The item's id.
    public var item: String
    /// The item's name.
    public var name: String
    /// When it happened: `left` at the last exit's `at`.
    public var stamp: Stamp

    /// By which readers drop doubles.
    public var id: EventID { EventID(boot: stamp.boot, seq: seq) }

    /// An event with all its properties.
    public init(_ change: Change, seq: UInt64, item: String, name: String, stamp: Stamp) {
        self.change = change
        self.seq = seq
        self.item = item
        self.name = name
        self.stamp = stamp
    }

    /// Writes the keys in the order of the reference's page for this payload.
    public func write(to json: inout JSONWriter) {
        json.payload { json in
            json.field("event_type", change.word)
            json.field("id", id.description)
            json.field("seq", seq)
            json.field("item", item)
            json.field("name", name)
            switch change {
            case .moved(let from, let to):
                json.field("from", from)
                json.field("to", to)
            case .left(let from): json.field("from", from)
            case .returned(let to): json.field("to", to)
            }
            stamp.writeTimeFirst(to: &json)
        }
    }

    /// Takes it from its members; one that is not as agreed refuses it.
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
    }

    /// The item: a topic says it, too.
    public func contradiction(with topic: Topic) -> String? {
        if case .itemEvent(let item) = topic, item != self.item { "item" } else { nil }
    }
}
