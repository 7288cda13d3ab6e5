import Beacons

/// An item of the registry: a thing that carries a beacon.
public struct RegistryItem: Payload {
    /// Its id.
    public var id: String
    /// Its name, in any script.
    public var name: String
    /// The beacon that it carries.
    public var beacon: BeaconIdentity
    /// What the beacon is taken to give at 1 m, whatever it claims; -100 to -10 dBm.
    public var measuredPower: MeasuredPower?
    /// Of what its owner wants to be told; `nil`: of nothing.
    public var notify: Notify?

    /// An item with all its properties.
    public init(
        id: String, name: String, beacon: BeaconIdentity, measuredPower: MeasuredPower? = nil, notify: Notify? = nil
    ) {
        self.id = id
        self.name = name
        self.beacon = beacon
        self.measuredPower = measuredPower
        self.notify = notify
    }

    /// Its implicit region, which has no topics of its own.
    public var region: Region {
        Region(id: id, identifier: name, scope: .beacon(beacon), measuredPower: measuredPower, isImplicit: true)
    }

    /// Writes the keys in the order of the reference's page for this payload.
    public func write(to json: inout JSONWriter) {
        json.payload { json in
            json.field("id", id)
            json.field("name", name)
            json.field("uuid", beacon.uuid)
            json.field("major", beacon.major)
            json.field("minor", beacon.minor)
            json.field("measured_power_dbm", measuredPower?.dBm)
            if let notify { json.object("notify") { json in notify.writeFields(to: &json) } }
        }
    }

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        id = try fields.id("id")
        name = try fields.text("name")
        beacon = try fields.beacon()
        measuredPower = try fields.overridingPower()
        let object = try fields.optionalObject("notify")
        notify = if let object { try Notify(reading: object) } else { nil }
    }

    /// The id: a topic says it, too.
    public func contradiction(with topic: Topic) -> String? {
        if case .registryItem(let id) = topic, id != self.id { "id" } else { nil }
    }
}

extension Fields {
    /// `measured_power_dbm` that replaces a beacon's claim: one from which a distance may be estimated.
    mutating func overridingPower() throws(PayloadRefusal) -> MeasuredPower? {
        guard let power = try measuredPower() else { return nil }
        guard power.isPlausible else { throw .outOfRange("measured_power_dbm") }
        return power
    }
}
