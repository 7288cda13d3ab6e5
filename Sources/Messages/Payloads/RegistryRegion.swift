import Beacons

/// A region of the registry, which every gateway monitors.
public struct RegistryRegion: Payload {
    /// Its id.
    public var id: String
    /// Its name, in any script.
    public var identifier: String
    /// Which beacons belong to it.
    public var scope: Region.Scope
    /// What its beacons are taken to give at 1 m, whatever they claim; -100 to -10 dBm.
    public var measuredPower: MeasuredPower?
    /// Whether its `enter` is published.
    public var notifyOnEntry: Bool
    /// Whether its `exit` is published.
    public var notifyOnExit: Bool
    /// What is said to people with its `enter`, 1000 bytes at most where the aggregator wrote it; `nil`: nothing.
    public var entryText: String?
    /// The same with its `exit`.
    public var exitText: String?

    /// A region with all its properties.
    public init(
        id: String, identifier: String, scope: Region.Scope, measuredPower: MeasuredPower? = nil,
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

    /// It as gateways monitor it.
    public var region: Region {
        Region(
            id: id, identifier: identifier, scope: scope, notifyOnEntry: notifyOnEntry, notifyOnExit: notifyOnExit,
            measuredPower: measuredPower, entryText: entryText, exitText: exitText)
    }

    /// Writes the keys in the order of the reference's page for this payload.
    public func write(to json: inout JSONWriter) {
        json.payload { json in
            json.field("id", id)
            json.field("identifier", identifier)
            scope.writeFields(to: &json)
            json.field("measured_power_dbm", measuredPower?.dBm)
            json.field("notify_on_entry", notifyOnEntry)
            json.field("notify_on_exit", notifyOnExit)
            json.field("entry_text", entryText)
            json.field("exit_text", exitText)
        }
    }

    /// A minor without a major is refused; `notify_on_entry` and `notify_on_exit` are true where they are absent.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        id = try fields.id("id")
        identifier = try fields.text("identifier")
        scope = try fields.scope()
        measuredPower = try fields.overridingPower()
        notifyOnEntry = try fields.optionalBool("notify_on_entry") ?? true
        notifyOnExit = try fields.optionalBool("notify_on_exit") ?? true
        entryText = try fields.optionalText("entry_text")
        exitText = try fields.optionalText("exit_text")
    }

    /// The id: a topic says it, too.
    public func contradiction(with topic: Topic) -> String? {
        if case .registryRegion(let id) = topic, id != self.id { "id" } else { nil }
    }
}

extension Region.Scope {
    /// Writes `uuid`, and `major` and `minor` where it has them.
    func writeFields(to json: inout JSONWriter) {
        switch self {
        case .uuid(let uuid):
            json.field("uuid", uuid)
        case .major(let uuid, let major):
            json.field("uuid", uuid)
            json.field("major", major)
        case .beacon(let beacon):
            json.field("uuid", beacon.uuid)
            json.field("major", beacon.major)
            json.field("minor", beacon.minor)
        }
    }
}

extension Fields {
    /// `uuid`, `major`, `minor`; a minor without a major is refused.
    mutating func scope() throws(PayloadRefusal) -> Region.Scope {
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
