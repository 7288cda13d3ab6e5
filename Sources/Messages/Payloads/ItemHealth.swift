import Beacons

/// What the tag of an item reports about itself, and how it is received: the payload of `items/{item}/health`.
package struct ItemHealth: Payload {
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

    /// How the gateways receive a tag, measured over a day.
    package struct Reception: Hashable, Sendable {
        /// The seconds between two advertisements of the tag; `nil`: not known.
        package var interval: Double?
        /// The number of sightings in an hour at the gateway that receives the tag best; `nil`: not known.
        package var sightingsPerHour: UInt32?
        /// The change of the mean RSSI in dB a week; `nil` if it may be chance, or if the item may have another place.
        package var trend: Double?
        /// The gateway of `days`; `nil` if there are none.
        package var gateway: String?
        /// The mean RSSI of each day in tenths of a dBm, the oldest first, while that gateway received the tag best; `nil` for a day with few
        /// sightings. The last day ended before the time of the payload.
        package var days: [Int16?]

        package static let mostDays = 28

        package init(
            interval: Double? = nil, sightingsPerHour: UInt32? = nil, trend: Double? = nil, gateway: String? = nil,
            days: [Int16?] = []
        ) {
            self.interval = interval
            self.sightingsPerHour = sightingsPerHour
            self.trend = trend
            self.gateway = gateway
            self.days = days
        }

        /// The reception for people, like `sends every 1 s, received 3480 times an hour, RSSI falls by 4.2 dB a week`; empty if nothing is known.
        package var words: String {
            func tenths(_ number: Double) -> String {
                "\(Int((number * 10).rounded()) / 10).\(Int((number * 10).rounded()) % 10)"
            }
            return [
                interval.map { "sends every \($0 < 10 ? tenths($0) : "\(Int($0.rounded()))") s" },
                sightingsPerHour.map { "received \($0) times an hour" },
                trend.map { "RSSI \($0 < 0 ? "falls" : "rises") by \(tenths(abs($0))) dB a week" },
            ].compactMap(\.self).joined(separator: ", ")
        }

        func writeFields(to json: inout JSONWriter) {
            json.field("interval_s", interval, decimals: 2)
            json.field("sightings_per_hour", sightingsPerHour)
            json.field("rssi_db_per_week", trend, decimals: 1)
            json.field("rssi_gateway", gateway)
            guard gateway != nil else { return }
            json.array("rssi_days_dbm") { json in
                for day in days {
                    if let day { json.element(Double(day) / 10, decimals: 1) } else { json.element(.null) }
                }
            }
        }

        init(reading fields: inout Fields) throws(PayloadRefusal) {
            interval = try fields.optionalNumber("interval_s", in: Fields.amounts)
            sightingsPerHour = try fields.optionalCount("sightings_per_hour", in: 0...UInt32.max)
            trend = try fields.optionalNumber("rssi_db_per_week", in: -1000...1000)
            gateway = try fields.optionalParsed("rssi_gateway") { isValidID($0) ? $0 : nil }
            days = []
            guard gateway != nil else { return }
            days = try fields.array("rssi_days_dbm", limit: Self.mostDays) { (value) throws(PayloadRefusal) in
                guard value != .null else { return nil }
                guard let mean = value.double else { throw .wrongType("rssi_days_dbm") }
                guard Fields.strengths.contains(mean) else { throw .outOfRange("rssi_days_dbm") }
                return Int16((mean * 10).rounded())
            }
        }
    }
}

extension TagReadings {
    /// The level of the battery for people, like `12 %` or `2.4 V`; `nil` if the tag reports none.
    package var batteryLevel: String? {
        batteryPercent.map { "\($0) %" }
            ?? batteryMillivolts.map { ($0 + 50) / 100 }.map { "\($0 / 10).\($0 % 10) V" }
    }
}
