import Beacons

/// The request `request/items/add`: adds an item to the registry.
public struct NewItem: Body {
    /// The name that people see.
    public var name: String
    /// The beacon of the item.
    public var beacon: BeaconIdentity
    /// The id for topics; `nil`: the aggregator derives it from the name.
    public var id: String?
    /// The measured power that replaces the beacon's claim; `nil`: the claim applies.
    public var measuredPower: MeasuredPower?
    /// Whether the beacon advertises only while the item moves.
    public var sleeps: Bool
    /// The notification settings; `nil`: the settings of a configured item without `notify`.
    public var notify: Notify?

    /// Creates a request from all its properties.
    public init(
        name: String, beacon: BeaconIdentity, id: String? = nil, measuredPower: MeasuredPower? = nil,
        sleeps: Bool = false, notify: Notify? = nil
    ) {
        self.name = name
        self.beacon = beacon
        self.id = id
        self.measuredPower = measuredPower
        self.sleeps = sleeps
        self.notify = notify
    }

    /// Writes the members in the order of the reference.
    public func writeFields(to json: inout JSONWriter) {
        json.field("name", name)
        json.field("uuid", beacon.uuid)
        json.field("major", beacon.major)
        json.field("minor", beacon.minor)
        json.field("id", id)
        json.field("measured_power_dbm", measuredPower?.dBm)
        json.field("sleeps", sleeps ? true : nil)
        if let notify { json.object("notify") { json in notify.writeFields(to: &json) } }
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        name = try fields.text("name")
        beacon = try fields.beacon()
        id = try fields.optionalText("id")
        measuredPower = try fields.overridingPower()
        sleeps = try fields.optionalBool("sleeps") ?? false
        let object = try fields.optionalObject("notify")
        notify = if let object { try Notify(reading: object, isStrict: fields.isStrict) } else { nil }
        try notify?.checkHours()
    }
}

extension RegistryItem {
    /// Whether the item already is as requested.
    public func matches(_ requested: NewItem) -> Bool {
        name == requested.name && beacon == requested.beacon && measuredPower == requested.measuredPower
            && sleeps == requested.sleeps && (requested.notify == nil || notify == requested.notify)
    }
}
