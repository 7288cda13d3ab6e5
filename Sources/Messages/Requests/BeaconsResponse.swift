/// The response to `request/beacons`: every beacon that the gateway received within the last minute, monitored or not.
package struct BeaconsResponse: Body {
    package var gateway: String
    /// The room that the gateway serves; `nil` if its configuration names none.
    package var room: String?
    /// When the gateway responded.
    package var stamp: Stamp
    /// The beacons, strongest first; only the first `most` are sent.
    package var beacons: [ReceivedBeacon]

    package static let most = 1000

    package init(gateway: String, room: String? = nil, stamp: Stamp, beacons: [ReceivedBeacon]) {
        self.gateway = gateway
        self.room = room
        self.stamp = stamp
        self.beacons = beacons
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("gateway", gateway)
        json.field("room", room)
        stamp.writeTimeFirst(to: &json)
        json.array("beacons", beacons.prefix(Self.most))
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        gateway = try fields.id("gateway")
        room = try fields.optionalText("room")
        stamp = try Stamp(reading: &fields)
        beacons = try fields.entries("beacons", limit: Self.most)
    }
}
