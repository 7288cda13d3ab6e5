import Beacons
import Ranging
import Settings

/// The `[monitoring]` table: when a beacon enters, and when it exits.
package struct MonitoringSettings: Hashable, Sendable {
    package var monitor = Monitor.Settings()
    /// The greatest age of region states that are restored from disk.
    package var restoreWithin = Interval.seconds(15 * 60)

    package init() {}

    /// Reads `[monitoring]`, present or not.
    package init(_ monitoring: SettingsTable) {
        let falseExits =
            monitoring.number("false_exits_per_day", in: 0.0001...1000) ?? ExitAfter.standardFalseExitsPerDay
        monitor.exitAfter = Self.exitAfter(monitoring, falseExitsPerDay: falseExits)
        if let rssi = monitoring.integer("enter_rssi_dbm", in: -127...20) { monitor.enterRSSI = RSSI(dBm: Int8(rssi))! }
        monitor.enterSightings = monitoring.integer("enter_sightings", in: 1...100) ?? monitor.enterSightings
        restoreWithin = monitoring.duration("restore_within", in: .zero ... .seconds(7 * 86_400)) ?? restoreWithin
    }

    private static func exitAfter(_ monitoring: SettingsTable, falseExitsPerDay: Double) -> ExitAfter {
        let range = Interval.seconds(1) ... .seconds(86_400)
        let expected =
            "\"auto\", or a duration from \"\(range.lowerBound.duration)\" to \"\(range.upperBound.duration)\""
        let fixed = monitoring.parsed("exit_after", expected) { text -> ExitAfter? in
            if text == "auto" { return .auto(falseExitsPerDay: falseExitsPerDay) }
            return Interval(duration: text).flatMap { range.contains($0) ? .fixed($0) : nil }
        }
        return fixed ?? .auto(falseExitsPerDay: falseExitsPerDay)
    }
}
