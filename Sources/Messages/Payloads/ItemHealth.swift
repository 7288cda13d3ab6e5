import Beacons

/// What the tag of an item reports about itself, and how it is received: the payload of `items/{item}/health`.
package struct ItemHealth: Payload {
    /// The item's id.
    package var item: String
    /// The last value of each kind that the tag has reported.
    package var readings: TagReadings
    /// Whether the battery is low; `nil` if the tag reports no battery.
    package var isLow: Bool?
    /// What the gateways measure.
    package var reception: Reception
    /// When the aggregator published this. What the tag reported may be older.
    package var stamp: Stamp

    /// The charge at which a battery becomes low, and from which on it is low no more.
    static let lowPercent: UInt8 = 15, goodPercent: UInt8 = 20
    /// The same of the voltage in mV, which counts only if the tag reports no charge.
    static let lowMillivolts: UInt16 = 2400, goodMillivolts: UInt16 = 2500

    package init(
        item: String, readings: TagReadings, isLow: Bool?, reception: Reception = Reception(), stamp: Stamp
    ) {
        self.item = item
        self.readings = readings
        self.isLow = isLow
        self.reception = reception
        self.stamp = stamp
    }

    /// The health after these readings, if the battery was low or was not.
    package init(item: String, readings: TagReadings, wasLow: Bool, stamp: Stamp) {
        let isLow =
            readings.batteryPercent.map { $0 <= Self.lowPercent || wasLow && $0 < Self.goodPercent }
            ?? readings.batteryMillivolts.map { $0 <= Self.lowMillivolts || wasLow && $0 < Self.goodMillivolts }
        self.init(item: item, readings: readings, isLow: isLow, stamp: stamp)
    }

    /// The battery for people, like `12 %, low`; `nil` if the tag reports none.
    package var battery: String? {
        readings.batteryLevel.map { isLow == true ? "\($0), low" : $0 }
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("item", item)
        readings.writeFields(to: &json)
        json.field("low", isLow)
        reception.writeFields(to: &json)
        stamp.writeTimeFirst(to: &json)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        item = try fields.id("item")
        readings = try TagReadings(reading: &fields)
        isLow = try fields.optionalBool("low")
        reception = try Reception(reading: &fields)
        stamp = try Stamp(reading: &fields)
    }
}

extension TagReadings {
    /// The level of the battery for people, like `12 %` or `2.4 V`; `nil` if the tag reports none.
    package var batteryLevel: String? {
        batteryPercent.map { "\($0) %" }
            ?? batteryMillivolts.map { ($0 + 50) / 100 }.map { "\($0 / 10).\($0 % 10) V" }
    }
}
