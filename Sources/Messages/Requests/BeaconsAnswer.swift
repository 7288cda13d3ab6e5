/// Answers `request/beacons`: every beacon that the gateway heard within a minute, monitored or not.
public struct BeaconsAnswer: Body {
    /// The gateway.
    public var gateway: String
    /// The room that the gateway serves, if it was told.
    public var room: String?
    /// When it answered.
    public var stamp: Stamp
    /// The beacons, the strongest first; only the first `most` are sent.
    public var beacons: [HeardBeacon]

    /// The most beacons of one answer.
    public static let most = 1000

    /// An answer with all its properties.
    public init(gateway: String, room: String? = nil, stamp: Stamp, beacons: [HeardBeacon]) {
        self.gateway = gateway
        self.room = room
        self.stamp = stamp
        self.beacons = beacons
    }

    /// Writes its members in their order.
    public func writeFields(to json: inout JSONWriter) {
        json.field("gateway", gateway)
        json.field("room", room)
        stamp.writeTimeFirst(to: &json)
        json.array("beacons") { json in for beacon in beacons.prefix(Self.most) { beacon.write(to: &json) } }
    }

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        gateway = try fields.id("gateway")
        room = try fields.optionalText("room")
        stamp = try Stamp(reading: &fields)
        beacons = try fields.array("beacons", limit: Self.most) { (element) throws(PayloadRefusal) in
            var beacon = try Fields(element, of: "beacons")
            return try HeardBeacon(reading: &beacon)
        }
    }
}
