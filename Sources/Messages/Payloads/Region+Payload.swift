import Beacons

/// A region of the registry, which every gateway monitors. The aggregator writes texts of at most 1000 bytes.
extension Region: Payload {
    /// Writes the keys in the order of the reference's page RegistryRegion, without the id of a request, which is empty.
    public func writeFields(to json: inout JSONWriter) {
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
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        try self.init(id: try fields.id("id"), others: &fields)
    }

    /// Reads all members but the id, which is empty in a request whose region gets an id made from the identifier.
    init(id: String, others fields: inout Fields) throws(PayloadRefusal) {
        let identifier = try fields.text("identifier")
        self.init(id: id, identifier: identifier, scope: try fields.scope())
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
