import Beacons

/// The request `request/regions/add`: adds a region that every gateway monitors.
package struct NewRegion: Body {
    /// The name that people see.
    package var identifier: String
    /// The rule that selects the region's beacons.
    package var scope: Region.Scope
    /// The id for topics; `nil`: the aggregator derives it from the identifier.
    package var id: String?
    /// The measured power that replaces the beacons' claims; `nil`: the claims apply.
    package var measuredPower: MeasuredPower?
    /// Whether the region's `enter` is published.
    package var notifyOnEntry: Bool
    /// Whether the region's `exit` is published.
    package var notifyOnExit: Bool
    /// The text to show to people when the region is entered; `nil`: none.
    package var entryText: String?
    /// The text to show to people when the region is left; `nil`: none.
    package var exitText: String?

    package init(
        identifier: String, scope: Region.Scope, id: String? = nil, measuredPower: MeasuredPower? = nil,
        notifyOnEntry: Bool = true, notifyOnExit: Bool = true, entryText: String? = nil, exitText: String? = nil
    ) {
        self.identifier = identifier
        self.scope = scope
        self.id = id
        self.measuredPower = measuredPower
        self.notifyOnEntry = notifyOnEntry
        self.notifyOnExit = notifyOnExit
        self.entryText = entryText
        self.exitText = exitText
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("identifier", identifier)
        scope.writeFields(to: &json)
        json.field("id", id)
        json.field("measured_power_dbm", measuredPower?.dBm)
        json.field("notify_on_entry", notifyOnEntry)
        json.field("notify_on_exit", notifyOnExit)
        json.field("entry_text", entryText)
        json.field("exit_text", exitText)
    }

    /// Reads the value from its members. `notify_on_entry` and `notify_on_exit` default to true.
    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        identifier = try fields.text("identifier")
        scope = try fields.scope()
        id = try fields.optionalText("id")
        measuredPower = try fields.overridingPower()
        notifyOnEntry = try fields.optionalBool("notify_on_entry") ?? true
        notifyOnExit = try fields.optionalBool("notify_on_exit") ?? true
        entryText = try fields.optionalText("entry_text")
        exitText = try fields.optionalText("exit_text")
    }
}
