import Beacons

/// Asks the aggregator to have a region monitored by every gateway: `request/regions/add`.
public struct WantedRegion: Body {
    /// What people call it.
    public var identifier: String
    /// Which beacons belong to it.
    public var scope: Region.Scope
    /// The id in topics; `nil`: made from the identifier.
    public var id: String?
    /// What its beacons are taken to give at 1 m, whatever they claim.
    public var measuredPower: MeasuredPower?
    /// Whether its `enter` is published.
    public var notifyOnEntry: Bool
    /// Whether its `exit` is published.
    public var notifyOnExit: Bool
    /// What is said to people with its `enter`; `nil`: nothing.
    public var entryText: String?
    /// What is said to people with its `exit`; `nil`: nothing.
    public var exitText: String?

    /// A wish with all its properties.
    public init(
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

    /// Writes its members in their order.
    public func writeFields(to json: inout JSONWriter) {
        json.field("identifier", identifier)
        scope.writeFields(to: &json)
        json.field("id", id)
        json.field("measured_power_dbm", measuredPower?.dBm)
        json.field("notify_on_entry", notifyOnEntry)
        json.field("notify_on_exit", notifyOnExit)
        json.field("entry_text", entryText)
        json.field("exit_text", exitText)
    }

    /// Takes it from its members; `notify_on_entry` and `notify_on_exit` are true where they are absent.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
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
