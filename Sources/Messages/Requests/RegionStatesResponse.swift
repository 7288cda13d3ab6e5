import Beacons

/// The response to `request/regions/state`: a gateway's state of every region, including the implicit regions of items.
package struct RegionStatesResponse: Body {
    package struct Entry: Members {
        /// The subject of an entry: a region with its own topics, or the implicit region of an item.
        package enum Subject: Hashable, Sendable {
            case region(String)
            case item(String)
        }

        package var subject: Subject
        package var identifier: String
        package var state: MonitoringState
        /// When the state began; `nil` if unknown.
        package var since: WallTime?
        /// The number of the region's beacons in range; `nil` if unknown.
        package var beacons: Int?
        /// Why the region cannot be monitored, in a sentence.
        package var error: String?

        package init(
            _ subject: Subject, identifier: String, state: MonitoringState, since: WallTime? = nil,
            beacons: Int? = nil, error: String? = nil
        ) {
            self.subject = subject
            self.identifier = identifier
            self.state = state
            self.since = since
            self.beacons = beacons
            self.error = error
        }

        package func writeFields(to json: inout JSONWriter) {
            switch subject {
            case .region(let id): json.field("region", id)
            case .item(let id): json.field("item", id)
            }
            json.field("identifier", identifier)
            json.field("state", state.rawValue)
            json.field("since", since)
            json.field("beacons", beacons)
            json.field("error", error)
        }

        package init(reading fields: inout Fields) throws(PayloadRefusal) {
            if let item = try fields.optionalParsed("item", { isValidID($0) ? $0 : nil }) {
                subject = .item(item)
            } else {
                subject = .region(try fields.id("region"))
            }
            identifier = try fields.text("identifier")
            state = try fields.word("state")
            since = try fields.optionalTime("since")
            beacons = try fields.optionalCount("beacons", in: Fields.gauges)
            error = try fields.optionalText("error")
        }
    }

    package var gateway: String
    /// The room that the gateway serves; `nil` if its configuration names none.
    package var room: String?
    /// When the gateway responded.
    package var stamp: Stamp
    /// The regions; only the first `most` are sent.
    package var regions: [Entry]

    package static let most = 4096

    package init(gateway: String, room: String? = nil, stamp: Stamp, regions: [Entry]) {
        self.gateway = gateway
        self.room = room
        self.stamp = stamp
        self.regions = regions
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("gateway", gateway)
        json.field("room", room)
        stamp.writeTimeFirst(to: &json)
        json.array("regions", regions.prefix(Self.most))
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        gateway = try fields.id("gateway")
        room = try fields.optionalText("room")
        stamp = try Stamp(reading: &fields)
        regions = try fields.entries("regions", limit: Self.most)
    }
}
