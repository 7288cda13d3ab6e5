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
    /// Of what its owner wants to be told; `nil`: as if it stood in the configuration without a word about it.
    public var notify: Notify?

    /// A wish with all its properties.
    public init(
        name: String, beacon: BeaconIdentity, id: String? = nil, measuredPower: MeasuredPower? = nil,
        notify: Notify? = nil
    ) {
        self.name = name
        self.beacon = beacon
        self.id = id
        self.measuredPower = measuredPower
        self.notify = notify
    }

    /// Writes its members in their order.
    public func writeFields(to json: inout JSONWriter) {
        json.field("name", name)
        json.field("uuid", beacon.uuid)
        json.field("major", beacon.major)
        json.field("minor", beacon.minor)
        json.field("id", id)
        json.field("measured_power_dbm", measuredPower?.dBm)
        if let notify { json.object("notify") { json in notify.writeFields(to: &json) } }
    }

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        name = try fields.text("name")
        beacon = try fields.beacon()
        id = try fields.optionalText("id")
        measuredPower = try fields.overridingPower()
        let object = try fields.optionalObject("notify")
        notify = if let object { try Notify(reading: object) } else { nil }
    }
}
