/// The response to `request/beacons`: every beacon that the gateway received within the last minute, monitored or not.
public struct BeaconsResponse: Body {
    /// The gateway.
    public var gateway: String
    /// The room that the gateway serves; `nil` if its configuration names none.
    public var room: String?
    /// When the gateway responded.
    public var stamp: Stamp
    /// The beacons, strongest first; only the first `most` are sent.
    public var beacons: [ReceivedBeacon]

    /// The limit of beacons in one response.
    public static let most = 1000

    /// Creates a response from all its properties.
    public init(gateway: String, room: String? = nil, stamp: Stamp, beacons: [ReceivedBeacon]) {
        self.gateway = gateway
        self.room = room
        self.stamp = stamp
        self.beacons = beacons
    }

    /// Writes the members in the order of the reference.
    public func writeFields(to json: inout JSONWriter) {
        json.field("gateway", gateway)
        json.field("room", room)
        stamp.writeTimeFirst(to: &json)
        json.array("beacons") { json in for beacon in beacons.prefix(Self.most) { beacon.write(to: &json) } }
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        gateway = try fields.id("gateway")
        room = try fields.optionalText("room")
        stamp = try Stamp(reading: &fields)
        beacons = try fields.array("beacons", limit: Self.most) { (element) throws(PayloadRefusal) in
            var beacon = try Fields(element, of: "beacons")
            return try ReceivedBeacon(reading: &beacon)
        }
    }
}
