import Beacons

/// The ranged state of one beacon at one gateway: the payload of `…/proximity`.
public struct RangedState: Payload {
    /// The gateway that heard it.
    public var gateway: String
    /// The room that the gateway serves, if it was told.
    public var room: String?
    /// How near, by filter, offset and power in use.
    public var proximity: Proximity
    /// The estimated distance in metres; `nil` where it is unknown.
    public var accuracy: Double?
    /// The mean RSSI in dBm of `sightings`, raw: no filter, no offset; `nil` where there was none.
    public var rssi: Double?
    /// How often it was heard since the message before.
    public var sightings: Int
    /// What the beacon claims to give at 1 m, absurd or not; `nil` where it was not heard since the boot began.
    public var measuredPower: MeasuredPower?
    /// From how many addresses of late: more than one, and several tags share the identity, or it changes its address.
    public var addresses: Int
    /// When it was so.
    public var stamp: Stamp
    /// See `Validity.rangedSeconds`.
    public var validFor: UInt32

    /// A ranged state with all its properties.
    public init(
        gateway: String, room: String? = nil, proximity: Proximity, accuracy: Double? = nil, rssi: Double? = nil,
        sightings: Int, measuredPower: MeasuredPower? = nil, addresses: Int, stamp: Stamp, validFor: UInt32
    ) {
        self.gateway = gateway
        self.room = room
        self.proximity = proximity
        self.accuracy = accuracy
        self.rssi = rssi
        self.sightings = sightings
        self.measuredPower = measuredPower
        self.addresses = addresses
        self.stamp = stamp
        self.validFor = validFor
    }

    /// As `valid_for_s` says.
    public var validForSeconds: UInt32? { validFor }

    /// Writes the keys in the order of the reference's page for this payload.
    public func write(to json: inout JSONWriter) {
        json.payload { json in
            json.field("gateway", gateway)
            json.field("room", room)
            json.field("proximity", proximity.rawValue)
            json.field("accuracy_m", accuracy, decimals: 2)
            json.field("rssi_dbm", rssi, decimals: 1)
            json.field("sightings", sightings)
            json.field("measured_power_dbm", measuredPower?.dBm)
            json.field("addresses", addresses)
            stamp.writeTimeFirst(to: &json)
            json.field("valid_for_s", validFor)
        }
    }

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        gateway = try fields.id("gateway")
        room = try fields.optionalText("room")
        proximity = try fields.word("proximity")
        accuracy = try fields.optionalNumber("accuracy_m", in: Fields.amounts)
        rssi = try fields.optionalNumber("rssi_dbm", in: Fields.strengths)
        sightings = try fields.count("sightings", in: Fields.gauges)
        measuredPower = try fields.measuredPower()
        addresses = try fields.count("addresses", in: Fields.gauges)
        stamp = try Stamp(reading: &fields)
        validFor = try fields.validity()
    }

    /// The gateway: a topic says it, too.
    public func contradiction(with topic: Topic) -> String? {
        if case .proximity(_, let gateway) = topic, gateway != self.gateway { "gateway" } else { nil }
    }
}

extension Fields {
    /// What an RSSI may be, and so the mean of several.
    static let strengths: ClosedRange<Double> = -127...20

    /// `measured_power_dbm`: whatever a frame can claim.
    mutating func measuredPower() throws(PayloadRefusal) -> MeasuredPower? {
        try optionalCount("measured_power_dbm", in: Int8.min...Int8.max).map { MeasuredPower(dBm: $0) }
    }
}
