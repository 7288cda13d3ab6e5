import Beacons

/// The request `request/items/add`: adds an item to the registry.
package struct NewItem: Body {
    /// The name that people see.
    package var name: String
    package var beacon: BeaconIdentity
    /// The id for topics; `nil`: the aggregator derives it from the name.
    package var id: String?
    /// The measured power that replaces the beacon's claim; `nil`: the claim applies.
    package var measuredPower: MeasuredPower?
    /// Whether the beacon advertises only while the item moves.
    package var sleeps: Bool
    /// The notification settings; `nil`: the settings of a configured item without `notify`.
    package var notify: Notify?
    /// Whose the item is; `nil`: nobody's in particular.
    package var ownership: Ownership?

    package init(
        name: String, beacon: BeaconIdentity, id: String? = nil, measuredPower: MeasuredPower? = nil,
        sleeps: Bool = false, notify: Notify? = nil, ownership: Ownership? = nil
    ) {
        self.name = name
        self.beacon = beacon
        self.id = id
        self.measuredPower = measuredPower
        self.sleeps = sleeps
        self.notify = notify
        self.ownership = ownership
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("name", name)
        json.fields(of: beacon)
        json.field("id", id)
        json.field("measured_power_dbm", measuredPower?.dBm)
        json.field("sleeps", sleeps ? true : nil)
        json.object("notify", notify)
        ownership?.writeFields(to: &json)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        name = try fields.text("name")
        beacon = try fields.beacon()
        id = try fields.optionalText("id")
        measuredPower = try fields.overridingPower()
        sleeps = try fields.optionalBool("sleeps") ?? false
        notify = try fields.optionalEntry("notify")
        try notify?.checkHours()
        ownership = try fields.ownership()
    }
}

extension RegistryItem {
    /// Whether the item already is as requested.
    package func matches(_ requested: NewItem) -> Bool {
        name == requested.name && beacon == requested.beacon && measuredPower == requested.measuredPower
            && sleeps == requested.sleeps && ownership == requested.ownership
            && (requested.notify == nil || notify == requested.notify)
    }
}
