/// An event of a person: the person arrived, departed, or moved between rooms.
package struct PersonEvent: Payload {
    /// The kinds of events. A change from or to `unknown` is no event.
    package enum Change: Hashable, Sendable {
        /// The person came home; `to` is the room, if known.
        case arrived(to: String?)
        /// The person left the site; `from` is the last room, if known.
        case departed(from: String?)
        case moved(from: String, to: String)

        /// The value of `event_type`.
        package var word: String {
            switch self {
            case .arrived: "arrived"
            case .departed: "departed"
            case .moved: "moved"
            }
        }

        /// All values of `event_type`.
        package static let words = ["arrived", "departed", "moved"]
    }

    package var change: Change
    package var person: String
    package var name: String
    package var stamp: Stamp

    package init(_ change: Change, person: String, name: String, stamp: Stamp) {
        (self.change, self.person, self.name, self.stamp) = (change, person, name, stamp)
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("event_type", change.word)
        json.field("id", person)
        json.field("name", name)
        switch change {
        case .arrived(let to): json.field("to", to)
        case .departed(let from): json.field("from", from)
        case .moved(let from, let to):
            json.field("from", from)
            json.field("to", to)
        }
        stamp.writeTimeFirst(to: &json)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        let word = try fields.text("event_type")
        person = try fields.id("id")
        name = try fields.text("name")
        switch word {
        case "arrived": change = .arrived(to: try fields.optionalText("to"))
        case "departed": change = .departed(from: try fields.optionalText("from"))
        case "moved": change = .moved(from: try fields.text("from"), to: try fields.text("to"))
        default: throw .malformed("event_type")
        }
        stamp = try Stamp(reading: &fields)
    }
}
