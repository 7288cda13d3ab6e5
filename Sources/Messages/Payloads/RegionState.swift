import Beacons

/// Whether a region is in range of one gateway; published with each `info`.
package struct RegionState: Payload {
    package var state: MonitoringState
    /// When the state began; `nil` if unknown.
    package var since: WallTime?
    /// The number of the region's beacons in range; `nil` if unknown.
    package var beacons: Int?
    package var gateway: String
    package var stamp: Stamp
    /// See `Validity.heartbeatSeconds`.
    package var validFor: UInt32
    /// Why the region cannot be monitored, in a sentence; the state is then `unknown`.
    package var error: String?

    package init(
        _ state: MonitoringState, since: WallTime? = nil, beacons: Int? = nil, gateway: String, stamp: Stamp,
        validFor: UInt32 = Validity.heartbeatSeconds, error: String? = nil
    ) {
        self.state = state
        self.since = since
        self.beacons = beacons
        self.gateway = gateway
        self.stamp = stamp
        self.validFor = validFor
        self.error = error
    }

    package var validForSeconds: UInt32? { validFor }

    package func writeFields(to json: inout JSONWriter) {
        json.field("state", state.rawValue)
        json.field("since", since)
        json.field("beacons", beacons)
        json.field("gateway", gateway)
        stamp.writeTimeFirst(to: &json)
        json.field("valid_for_s", validFor)
        json.field("error", error)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        state = try fields.word("state")
        since = try fields.optionalTime("since")
        beacons = try fields.optionalCount("beacons", in: Fields.gauges)
        gateway = try fields.id("gateway")
        stamp = try Stamp(reading: &fields)
        validFor = try fields.validity()
        error = try fields.optionalText("error")
    }
}
