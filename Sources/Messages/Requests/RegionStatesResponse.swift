import Beacons

/// The response to `request/regions/state`: a gateway's state of every region, including the implicit regions of items.
public struct RegionStatesResponse: Body {
    /// One region's state.
    public struct Entry: Hashable, Sendable {
        /// The subject of an entry: a region with its own topics, or the implicit region of an item.
        public enum Subject: Hashable, Sendable {
            /// A region, by the region's id.
            case region(String)
            /// An item, by the item's id.
            case item(String)
        }

        /// The region or item.
        public var subject: Subject
        /// The name.
        public var identifier: String
        /// The monitoring state.
        public var state: MonitoringState
        /// When the state began; `nil` if unknown.
        public var since: WallTime?
        /// The number of the region's beacons in range; `nil` if unknown.
        public var beacons: Int?
        /// Why the region cannot be monitored, in a sentence.
        public var error: String?

        /// Creates an entry from all its properties.
        public init(
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
    }

    /// The gateway.
    public var gateway: String
    /// The room that the gateway serves; `nil` if its configuration names none.
    public var room: String?
    /// When the gateway responded.
    public var stamp: Stamp
    /// The regions; only the first `most` are sent.
    public var regions: [Entry]

    /// The limit of regions in one response.
    public static let most = 4096

    /// Creates a response from all its properties.
    public init(gateway: String, room: String? = nil, stamp: Stamp, regions: [Entry]) {
        self.gateway = gateway
        self.room = room
        self.stamp = stamp
        self.regions = regions
    }

    /// Writes the members in the order of the reference.
    public func writeFields(to json: inout JSONWriter) {
        json.field("gateway", gateway)
        json.field("room", room)
        stamp.writeTimeFirst(to: &json)
        json.array("regions") { json in for entry in regions.prefix(Self.most) { entry.write(to: &json) } }
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        gateway = try fields.id("gateway")
        room = try fields.optionalText("room")
        stamp = try Stamp(reading: &fields)
        regions = try fields.array("regions", limit: Self.most) { (element) throws(PayloadRefusal) in
            var entry = try Fields(element, of: "regions")
            return try Entry(reading: &entry)
        }
    }
}

extension RegionStatesResponse.Entry {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
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
    }

    fileprivate init(reading fields: inout Fields) throws(PayloadRefusal) {
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
