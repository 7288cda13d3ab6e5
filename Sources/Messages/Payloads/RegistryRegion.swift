import Beacons

/// A region of the registry, which every gateway monitors.
package struct RegistryRegion: Payload {
    /// The id in topics; empty in a request whose region gets an id made from the identifier.
    package var id: String
    /// The name, in any script.
    package var identifier: String
    /// The rule that selects the region's beacons.
    package var scope: Region.Scope
    /// The measured power that replaces the beacons' claims, -100 to -10 dBm; `nil`: the claims apply.
    package var measuredPower: MeasuredPower?
    /// Whether the region's `enter` is published.
    package var notifyOnEntry: Bool
    /// Whether the region's `exit` is published.
    package var notifyOnExit: Bool
    /// The text to show to people when the region is entered; `nil`: none. The aggregator writes at most 1000 bytes.
    package var entryText: String?
    /// The text to show to people when the region is left; `nil`: none. The aggregator writes at most 1000 bytes.
    package var exitText: String?

    package init(
        id: String = "", identifier: String, scope: Region.Scope, measuredPower: MeasuredPower? = nil,
        notifyOnEntry: Bool = true, notifyOnExit: Bool = true, entryText: String? = nil, exitText: String? = nil
    ) {
        self.id = id
        self.identifier = identifier
        self.scope = scope
        self.measuredPower = measuredPower
        self.notifyOnEntry = notifyOnEntry
        self.notifyOnExit = notifyOnExit
        self.entryText = entryText
        self.exitText = exitText
    }

    /// The region in the form that gateways monitor.
    package var region: Region {
        Region(
            id: id, identifier: identifier, scope: scope, notifyOnEntry: notifyOnEntry, notifyOnExit: notifyOnExit,
            measuredPower: measuredPower, entryText: entryText, exitText: exitText)
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("id", id.isEmpty ? nil : id)
        json.field("identifier", identifier)
        scope.writeFields(to: &json)
        json.field("measured_power_dbm", measuredPower?.dBm)
        json.field("notify_on_entry", notifyOnEntry)
        json.field("notify_on_exit", notifyOnExit)
        json.field("entry_text", entryText)
        json.field("exit_text", exitText)
    }

    /// Reads the value from its members; a minor without a major is refused. `notify_on_entry` and `notify_on_exit`
    /// default to true.
    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        try self.init(id: try fields.id("id"), others: &fields)
    }

    /// Reads all members but the id.
    init(id: String, others fields: inout Fields) throws(PayloadRefusal) {
        self.id = id
        identifier = try fields.text("identifier")
        scope = try fields.scope()
        measuredPower = try fields.overridingPower()
        notifyOnEntry = try fields.optionalBool("notify_on_entry") ?? true
        notifyOnExit = try fields.optionalBool("notify_on_exit") ?? true
        entryText = try fields.optionalText("entry_text")
        exitText = try fields.optionalText("exit_text")
    }
}

extension Region.Scope {
    /// Writes `uuid`, and `major` and `minor` if the scope has them.
    package func writeFields(to json: inout JSONWriter) {
        switch self {
        case .uuid(let uuid):
            json.field("uuid", uuid)
        case .major(let uuid, let major):
            json.field("uuid", uuid)
            json.field("major", major)
        case .beacon(let beacon):
            json.fields(of: beacon)
        }
    }
}

extension Fields {
    /// Reads `uuid`, `major` and `minor`; a minor without a major is refused.
    package mutating func scope() throws(PayloadRefusal) -> Region.Scope {
        let uuid = try uuid("uuid")
        let major = try optionalCount("major", in: 0...UInt16.max)
        let minor = try optionalCount("minor", in: 0...UInt16.max)
        switch (major, minor) {
        case (nil, nil): return .uuid(uuid)
        case (nil, _?): throw .missing("major")
        case (let major?, nil): return .major(uuid, major)
        case (let major?, let minor?): return .beacon(BeaconIdentity(uuid: uuid, major: major, minor: minor))
        }
    }
}
