import Beacons

/// The keys `battery_percent`, `battery_mv` and `temperature_c`, each absent if the tag has not reported the value.
extension TagReadings {
    private static let percentages: ClosedRange<UInt8> = 0...100
    private static let degrees = Double(temperatures.lowerBound) / 10...Double(temperatures.upperBound) / 10

    package func writeFields(to json: inout JSONWriter) {
        json.field("battery_percent", batteryPercent)
        json.field("battery_mv", batteryMillivolts)
        json.field("temperature_c", temperatureTenths.map { Double($0) / 10 }, decimals: 1)
    }

    init(reading fields: inout Fields) throws(PayloadRefusal) {
        self.init(
            batteryPercent: try fields.optionalCount("battery_percent", in: Self.percentages),
            batteryMillivolts: try fields.optionalCount("battery_mv", in: Self.voltages),
            temperatureTenths: try fields.optionalNumber("temperature_c", in: Self.degrees).map(Self.tenths))
    }

    /// Reads the keys in the form in which `writeFields` writes them; `nil` for any other form.
    init?(asWritten json: inout WrittenReader) {
        // Nearly always there are none, and `at` follows.
        if json.isKeyNext(beginning: UInt8(ascii: "a")) {
            self.init()
            return
        }
        guard let percent = json.optional("battery_percent", { $0.integer(in: Self.whole(Self.percentages)) }),
            let millivolts = json.optional("battery_mv", { $0.integer(in: Self.whole(Self.voltages)) }),
            let temperature = json.optional("temperature_c", { $0.decimal(in: Self.degrees) })
        else { return nil }
        self.init(
            batteryPercent: percent.map { UInt8($0) }, batteryMillivolts: millivolts.map { UInt16($0) },
            temperatureTenths: temperature.map(Self.tenths))
    }

    private static func whole<Number: FixedWidthInteger>(_ range: ClosedRange<Number>) -> ClosedRange<Int64> {
        Int64(range.lowerBound)...Int64(range.upperBound)
    }

    private static func tenths(_ degrees: Double) -> Int16 { Int16((degrees * 10).rounded()) }
}
