import BlueZ

/// Prints what `doctor` would know of an adapter, one fact per line.
func printReport(_ adapter: BlueZOptions.AdapterName) {
    let report = AdapterReport(of: adapter)
    say("problem \(report.problem ?? "none")")
    say("adapter \(report.name ?? "none") \(report.address.map { "\($0)" } ?? "none")")
    say("low_energy \(report.hasLowEnergy) powered \(report.isPowered)")
    say("rfkill \(report.rfkill.map { "soft \($0.soft) hard \($0.hard)" } ?? "none")")
    say("driver \(report.driver ?? "none") bus \(report.bus ?? "none")")
    say("capabilities \(report.capabilities.held.map(\.name).sorted().joined(separator: " "))")
    say("monitor \(report.hasMonitor.map { "\($0)" } ?? "unknown") filter \(report.filtersByItself)")
    say("bluetoothd \(report.hasBluetoothd)")
    say("others \(report.others.map { "\($0.name) \($0.address)" }.joined(separator: ", "))")
}
