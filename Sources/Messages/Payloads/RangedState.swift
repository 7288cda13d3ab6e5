import Beacons

/// The ranged state of one beacon at one gateway: the payload of `…/proximity`.
public struct RangedState: Payload {
    /// An unusually long silence of a beacon that is inside.
    public struct Silence: Hashable, Sendable {
        /// The time since the beacon was last received, in seconds.
        public var seconds: Double
        /// How many silences a day last longer while the beacon is present, by what the gateway has learned.
        public var perDay: Double

        /// Creates a silence from all its properties.
        public init(seconds: Double, perDay: Double) {
            self.seconds = seconds
            self.perDay = perDay
        }
    }

    /// The RSSI since the beacon last moved.
    public struct Current: Hashable, Sendable {
        /// The mean in dBm, without filter and offset.
        public var rssi: Double
        /// The number of sightings since both the previous message and the last move.
        public var sightings: Int

        /// Creates the RSSI from all its properties.
        public init(rssi: Double, sightings: Int) { (self.rssi, self.sightings) = (rssi, sightings) }
    }

    /// The gateway that received the beacon.
    public var gateway: String
    /// The room that the gateway serves; `nil` if its configuration names none.
    public var room: String?
    /// The proximity after the filter, the receiver offset and the measured power in use.
    public var proximity: Proximity
    /// The estimated distance in metres; `nil` where it is unknown.
    public var accuracy: Double?
    /// The mean RSSI of `sightings` in dBm, without filter and offset; `nil` if there were no sightings.
    public var rssi: Double?
    /// The RSSI since the beacon last moved; `nil` if there were no sightings, or if the gateway does not state it.
    public var current: Current?
    /// The number of sightings since the previous message.
    public var sightings: Int
    /// The RSSI that the beacon claims to give at 1 m, plausible or not; `nil` if it was not received in this run.
    public var measuredPower: MeasuredPower?
    /// The number of recent addresses. More than one means that tags share the identity, or that the beacon changes its
    /// address.
    public var addresses: Int
    /// The silence of the beacon; `nil` if it is not unusually long.
    public var silence: Silence?
    /// The seconds between two advertisements of the beacon, as the gateway has learned them; `nil`: not known.
    public var interval: Double?
    /// What the tag reports about itself.
    public var readings: TagReadings
    /// For how many seconds the battery in `readings` has been known; `nil` if there is none, or if the gateway does not state it.
    public var batteryAge: UInt32?
    /// The time of the state.
    public var stamp: Stamp
    /// See `Validity.rangedSeconds`.
    public var validFor: UInt32

    /// Creates a ranged state from all its properties.
    public init(
        gateway: String, room: String? = nil, proximity: Proximity, accuracy: Double? = nil, rssi: Double? = nil,
        current: Current? = nil, sightings: Int, measuredPower: MeasuredPower? = nil,
        addresses: Int, silence: Silence? = nil,
        interval: Double? = nil, readings: TagReadings = TagReadings(), batteryAge: UInt32? = nil, stamp: Stamp,
        validFor: UInt32
    ) {
        self.gateway = gateway
        self.room = room
        self.proximity = proximity
        self.accuracy = accuracy
        self.rssi = rssi
        self.current = current
        self.sightings = sightings
        self.measuredPower = measuredPower
        self.addresses = addresses
        self.silence = silence
        self.interval = interval
        self.readings = readings
        self.batteryAge = batteryAge
        self.stamp = stamp
        self.validFor = validFor
    }

    /// The value of `valid_for_s`.
    public var validForSeconds: UInt32? { validFor }

    /// Writes the keys in the order of the reference's page for this payload.
    public func writeFields(to json: inout JSONWriter) {
        json.field("gateway", gateway)
        json.field("room", room)
        json.field("proximity", proximity.rawValue)
        json.field("accuracy_m", accuracy, decimals: 2)
        json.field("rssi_dbm", rssi, decimals: 1)
        json.field("current_rssi_dbm", current?.rssi, decimals: 1)
        json.field("current_sightings", current?.sightings)
        json.field("sightings", sightings)
        json.field("measured_power_dbm", measuredPower?.dBm)
        json.field("addresses", addresses)
        json.field("silent_s", silence?.seconds, decimals: 1)
        json.field("silences_per_day", silence?.perDay, decimals: 2)
        json.field("interval_s", interval, decimals: 2)
        readings.writeFields(to: &json)
        json.field("battery_age_s", batteryAge)
        stamp.writeTimeFirst(to: &json)
        json.field("valid_for_s", validFor)
    }

    /// Reads a payload; `v` must be 1 or absent. If the payload contradicts `topic`, it is refused.
    ///
    /// Ranged states are nearly all that an aggregator reads. A state in the form that `write` gives it is read without
    /// the general reader, and without an allocation for each value.
    public init(parsing bytes: [UInt8], on topic: Topic? = nil) throws(PayloadRefusal) {
        if let state = bytes.withUnsafeBufferPointer({ RangedState(asWritten: $0, on: topic) }) {
            self = state
        } else {
            try self.init(document: bytes, on: topic)
        }
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        gateway = try fields.id("gateway")
        room = try fields.optionalText("room")
        proximity = try fields.word("proximity")
        accuracy = try fields.optionalNumber("accuracy_m", in: Fields.amounts)
        rssi = try fields.optionalNumber("rssi_dbm", in: Fields.strengths)
        let currentRSSI = try fields.optionalNumber("current_rssi_dbm", in: Fields.strengths)
        let counted = try fields.optionalCount("current_sightings", in: Fields.gauges)
        if let currentRSSI, let counted { current = Current(rssi: currentRSSI, sightings: counted) }
        sightings = try fields.count("sightings", in: Fields.gauges)
        measuredPower = try fields.measuredPower()
        addresses = try fields.count("addresses", in: Fields.gauges)
        let silent = try fields.optionalNumber("silent_s", in: Fields.amounts)
        let perDay = try fields.optionalNumber("silences_per_day", in: Fields.amounts)
        if let silent, let perDay { silence = Silence(seconds: silent, perDay: perDay) }
        interval = try fields.optionalNumber("interval_s", in: Fields.amounts)
        readings = try TagReadings(reading: &fields)
        batteryAge = try fields.optionalCount("battery_age_s", in: 0...UInt32.max)
        stamp = try Stamp(reading: &fields)
        validFor = try fields.validity()
    }

    /// Reads a state in the form that `write` gives it; `nil` for any other form, and for everything that the general
    /// reader refuses.
    init?(asWritten bytes: UnsafeBufferPointer<UInt8>, on topic: Topic?) {
        var json = WrittenReader(bytes)
        guard bytes.count <= Self.limits.bytes, json.accept("{\"v\":1"),
            json.key("gateway"), let gateway = Self.gateway(&json, on: topic),
            let room = json.optional("room", { $0.text() }),
            json.key("proximity"), let proximity = Self.proximity(&json),
            let accuracy = json.optional("accuracy_m", { $0.decimal(in: Fields.amounts) }),
            let rssi = json.optional("rssi_dbm", { $0.decimal(in: Fields.strengths) }),
            let current = json.optional("current_rssi_dbm", { $0.decimal(in: Fields.strengths) }),
            let counted = json.optional("current_sightings", { $0.integer(in: 0...Int64(Fields.gauges.upperBound)) }),
            json.key("sightings"), let sightings = json.integer(in: 0...Int64(Fields.gauges.upperBound)),
            let power = json.optional("measured_power_dbm", { $0.integer(in: -128...127) }),
            json.key("addresses"), let addresses = json.integer(in: 0...Int64(Fields.gauges.upperBound)),
            let silent = json.optional("silent_s", { $0.decimal(in: Fields.amounts) }),
            let perDay = json.optional("silences_per_day", { $0.decimal(in: Fields.amounts) }),
            let interval = json.optional("interval_s", { $0.decimal(in: Fields.amounts) }),
            let readings = TagReadings(asWritten: &json),
            let age = json.optional("battery_age_s", { $0.integer(in: 0...Int64(UInt32.max)) }),
            let stamp = Stamp(timeFirst: &json),
            json.key("valid_for_s"), let validFor = json.integer(in: 1...Int64(Validity.longest)), json.accept("}"),
            json.isAtEnd
        else { return nil }
        self.init(
            gateway: gateway, room: room, proximity: proximity, accuracy: accuracy, rssi: rssi,
            current: current.flatMap { rssi in counted.map { Current(rssi: rssi, sightings: Int($0)) } },
            sightings: Int(sightings),
            measuredPower: power.map { MeasuredPower(dBm: Int8($0)) }, addresses: Int(addresses),
            silence: silent.flatMap { silent in perDay.map { Silence(seconds: silent, perDay: $0) } },
            interval: interval, readings: readings, batteryAge: age.map { UInt32($0) }, stamp: stamp,
            validFor: UInt32(validFor))
    }

    /// Reads the gateway's id, which the topic has already if the message is right.
    private static func gateway(_ json: inout WrittenReader, on topic: Topic?) -> String? {
        if case .proximity(_, let gateway)? = topic { return json.accept(quoted: gateway) ? gateway : nil }
        guard topic == nil, let gateway = json.text(), isValidID(gateway) else { return nil }
        return gateway
    }

    private static func proximity(_ json: inout WrittenReader) -> Proximity? {
        if json.accept("\"near\"") { return .near }
        if json.accept("\"far\"") { return .far }
        if json.accept("\"immediate\"") { return .immediate }
        return json.accept("\"unknown\"") ? .unknown : nil
    }
}

extension Fields {
    /// The range of an RSSI, and therefore of a mean.
    static let strengths: ClosedRange<Double> = -127...20

    /// Reads `measured_power_dbm` with any value that a frame can carry.
    mutating func measuredPower() throws(PayloadRefusal) -> MeasuredPower? {
        try optionalCount("measured_power_dbm", in: Int8.min...Int8.max).map { MeasuredPower(dBm: $0) }
    }
}
