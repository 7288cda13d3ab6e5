import BlueZ
import HCI

/// Prints what `doctor` would know of an adapter, one fact per line.
func printReport(_ adapter: AdapterName) {
    let report = AdapterReport(of: adapter)
    printNow("problem \(report.problem ?? "none")")
    printNow("adapter \(report.name ?? "none") \(report.address.map { "\($0)" } ?? "none")")
    printNow("low_energy \(report.hasLowEnergy) powered \(report.isPowered)")
    printNow("rfkill \(report.rfkill.map { "soft \($0.soft) hard \($0.hard)" } ?? "none")")
    printNow("driver \(report.driver ?? "none") bus \(report.bus ?? "none")")
    printNow("capabilities \(report.capabilities.held.map(\.name).sorted().joined(separator: " "))")
    printNow("monitor \(report.hasMonitor.map { "\($0)" } ?? "unknown") filter \(report.filtersByItself)")
    printNow("bluetoothd \(report.hasBluetoothd)")
    printNow("others \(report.others.map { "\($0.name) \($0.address)" }.joined(separator: ", "))")
}
