import Beacons

/// A beacon that a gateway received recently, monitored or not.
package struct ReceivedBeacon: Members {
    package var beacon: BeaconIdentity
    /// The name in the beacon's advertisement. The sender chooses it, so show it with care.
    package var name: String?
    /// The mean RSSI in dBm of the last second with sightings.
    package var rssi: Double?
    /// The RSSI that the beacon claims to give at 1 m.
    package var measuredPower: MeasuredPower
    /// The estimated distance in metres; `nil` where it is unknown.
    package var accuracy: Double?
    package var proximity: Proximity
    /// The last address of the beacon; an anonymous address is not sent.
    package var address: DeviceAddress
    /// The number of recent addresses.
    package var addresses: Int
    /// The number of sightings within the last minute.
    package var sightings: Int
    /// The sightings per second, if known: only `scan` counts them.
    package var rate: Double?
    /// The ids of the regions that the beacon matches; empty: it is not monitored. Only the first
    /// `BeaconEvent.longestList` are sent.
    package var regions: [String]
    /// The monitoring state; `nil` if the beacon is not monitored.
    package var state: MonitoringState?
    /// When the beacon was last received, on the clock of the response's stamp.
    package var lastSeenAt: WallTime

    package var isMonitored: Bool { !regions.isEmpty }

    package init(
        _ beacon: BeaconIdentity, name: String? = nil, rssi: Double? = nil, measuredPower: MeasuredPower,
        accuracy: Double? = nil, proximity: Proximity, address: DeviceAddress, addresses: Int, sightings: Int,
        regions: [String] = [], state: MonitoringState? = nil, lastSeenAt: WallTime
    ) {
        self.beacon = beacon
        self.name = name
        self.rssi = rssi
        self.measuredPower = measuredPower
        self.accuracy = accuracy
        self.proximity = proximity
        self.address = address
        self.addresses = addresses
        self.sightings = sightings
        self.regions = regions
        self.state = state
        self.lastSeenAt = lastSeenAt
    }

    package func writeFields(to json: inout JSONWriter) {
        json.fields(of: beacon)
        json.field("name", name)
        json.field("rssi_dbm", rssi, decimals: 1)
        json.field("measured_power_dbm", measuredPower.dBm)
        json.field("accuracy_m", accuracy, decimals: 2)
        json.field("proximity", proximity.rawValue)
        if address.kind != .anonymous { json.field("address", address.description) }
        json.field("address_kind", address.kind.word)
        json.field("address_type", address.type.rawValue)
        json.field("addresses", addresses)
        json.field("sightings", sightings)
        json.field("per_s", rate, decimals: 2)
        json.field("monitored", isMonitored)
        json.field("regions", Array(regions.prefix(BeaconEvent.longestList)))
        json.field("state", state?.rawValue)
        json.field("last_seen_at", lastSeenAt)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        beacon = try fields.beacon()
        name = try fields.optionalText("name")
        rssi = try fields.optionalNumber("rssi_dbm", in: Fields.strengths)
        guard let measuredPower = try fields.measuredPower() else { throw .missing("measured_power_dbm") }
        self.measuredPower = measuredPower
        accuracy = try fields.optionalNumber("accuracy_m", in: Fields.amounts)
        proximity = try fields.word("proximity")
        address = try fields.address()
        addresses = try fields.count("addresses", in: Fields.gauges)
        sightings = try fields.count("sightings", in: Fields.gauges)
        rate = try fields.optionalNumber("per_s", in: Fields.amounts)
        regions = try fields.ids("regions", limit: BeaconEvent.longestList)
        state = try fields.optionalParsed("state", MonitoringState.init(rawValue:))
        lastSeenAt = try fields.time("last_seen_at")
    }
}

extension DeviceAddress.Kind {
    fileprivate var word: String {
        switch self {
        case .public: "public"
        case .random: "random"
        case .anonymous: "anonymous"
        }
    }
}

extension Fields {
    fileprivate mutating func address() throws(PayloadRefusal) -> DeviceAddress {
        let text = try optionalText("address")
        let kinds: [DeviceAddress.Kind] = [.public, .random, .anonymous]
        let kind = try parsed("address_kind") { word in kinds.first { $0.word == word } }
        if kind == .anonymous { return DeviceAddress(bits: 0, kind: .anonymous) }
        guard let text else { throw .missing("address") }
        guard let address = DeviceAddress(text, kind: kind) else { throw .malformed("address") }
        return address
    }
}
