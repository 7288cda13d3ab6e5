import Beacons

/// Answers `request/regions/state`: what a gateway says of every region now, those of items with them.
public struct RegionStatesAnswer: Body {
    /// One region's state.
    public struct Entry: Hashable, Sendable {
        /// Which region: one with topics of its own, or an item's implicit one.
        public enum Subject: Hashable, Sendable {
            /// A region, by its id.
            case region(String)
            /// An item, by its id.
            case item(String)
        }

        /// Which region.
        public var subject: Subject
        /// Its name.
        public var identifier: String
        /// Whether it is in range.
        public var state: MonitoringState
        /// Since when; `nil` where that is not known.
        public var since: WallTime?
        /// How many of its beacons are inside; `nil` where that is not known.
        public var beacons: Int?
        /// Why it cannot be monitored, in a sentence.
        public var error: String?

        /// An entry with all its properties.
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
    /// The room that the gateway serves, if it was told.
    public var room: String?
    /// When it answered.
    public var stamp: Stamp
    /// The regions; only the first `most` are sent.
    public var regions: [Entry]

    /// The most regions of one answer.
    public static let most = 4096

    /// An answer with all its properties.
    public init(gateway: String, room: String? = nil, stamp: Stamp, regions: [Entry]) {
        self.gateway = gateway
        self.room = room
        self.stamp = stamp
        self.regions = regions
    }

    /// Writes its members in their order.
    public func writeFields(to json: inout JSONWriter) {
        json.field("gateway", gateway)
        json.field("room", room)
        stamp.writeTimeFirst(to: &json)
        json.array("regions") { json in for entry in regions.prefix(Self.most) { entry.write(to: &json) } }
    }

    /// Takes it from its members; one that is not as agreed refuses it.
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

extension RegionStatesAnswer.Entry {
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
