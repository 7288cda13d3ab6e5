import Beacons

/// Asks the aggregator to know an item: `request/items/add`.
public struct WantedItem: Body {
    /// What people call it.
    public var name: String
    /// Its beacon.
    public var beacon: BeaconIdentity
    /// The id in topics; `nil`: made from the name.
    public var id: String?
    /// What its beacon is taken to give at 1 m, whatever it claims.
    public var measuredPower: MeasuredPower?

    /// A wish with all its properties.
    public init(name: String, beacon: BeaconIdentity, id: String? = nil, measuredPower: MeasuredPower? = nil) {
        self.name = name
        self.beacon = beacon
        self.id = id
        self.measuredPower = measuredPower
    }

    /// Writes its members in their order.
    public func writeFields(to json: inout JSONWriter) {
        json.field("name", name)
        json.field("uuid", beacon.uuid)
        json.field("major", beacon.major)
        json.field("minor", beacon.minor)
        json.field("id", id)
        json.field("measured_power_dbm", measuredPower?.dBm)
    }

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        name = try fields.text("name")
        beacon = try fields.beacon()
        id = try fields.optionalText("id")
        measuredPower = try fields.overridingPower()
    }
}
