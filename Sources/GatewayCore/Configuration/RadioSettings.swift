import Beacons
import HCI
import Settings

/// The `[radio]` table: where advertisements come from.
package struct RadioSettings: Hashable, Sendable {
    package var source = RadioSource.bluez(.index(0))
    /// The kernel's interface to the adapter.
    package var interface = AdapterInterface.auto
    /// The scan interval: 2.5 ms to 10.24 s.
    package var scanInterval = Interval.milliseconds(60)
    /// The scan window, at most the interval. If both are equal, the adapter scans all the time.
    package var scanWindow = Interval.milliseconds(60)
    /// The file of identity resolving keys, by which phones and watches are recognised; `nil` for none.
    package var identityKeysFile: String?
    /// A recording's speed.
    package var speed = CapturePlayer.Speed.recorded
    /// The behaviour at a recording's end.
    package var atEnd = CapturePlayer.AtEnd.stop
    /// The time in the recording or in the simulated house at which to start; `nil`: at its first record, or now.
    package var startAt: WallTime?
    /// Longer pauses in a recording are shortened to this length. If it is `nil`, pauses stay, so that several recordings play together.
    package var gapLimit: Interval? = .seconds(60)
    /// The seed of the simulated house: gateways with the same seed are in the same house.
    package var seed: UInt64 = 1

    package init() {}

    /// Reads `[radio]`, present or not.
    package init(_ radio: SettingsTable) {
        source = Self.source(radio) ?? source
        interface = radio.word("interface", of: AdapterInterface.self) ?? interface
        // Core 5.4, Vol 4, E 7.8.10: 4 to 0x4000 units of 0.625 ms.
        let scan = Interval(nanoseconds: 2_500_000)...Interval.milliseconds(10_240)
        let interval = radio.duration("scan_interval", in: scan)
        scanInterval = interval ?? scanInterval
        scanWindow = radio.duration("scan_window", in: scan) ?? scanInterval
        if scanWindow > scanInterval, interval != nil || !radio.has("scan_interval") {
            radio.note(
                "scan_window",
                "is \"\(scanWindow.duration)\": write at most scan_interval, which is \"\(scanInterval.duration)\"")
        }
        identityKeysFile = radio.path("identity_keys_file")
        speed = radio.word("speed", of: CapturePlayer.Speed.self) ?? speed
        atEnd = radio.word("at_end", of: CapturePlayer.AtEnd.self) ?? atEnd
        startAt = radio.wallTime("start_at")
        // If a pause in one recording were shortened, that recording would run ahead of the others.
        let year = Interval.seconds(365 * 86_400)
        gapLimit = radio.duration("gap_limit", in: .zero...year) ?? (startAt == nil ? gapLimit : nil)
        seed = radio.integer("seed", in: 0...Int.max).map { UInt64($0) } ?? seed
    }

    private static func source(_ radio: SettingsTable) -> RadioSource? {
        radio.parsed(
            "source", "\"bluez:hci0\", \"bluez:B8:27:EB:00:00:01\", \"capture:FILE.btsnoop\" or \"simulation\""
        ) {
            switch RadioSource($0) {
            case .capture(let path):
                radio.noteFile("source", radio.resolved(path))
                return .capture(radio.resolved(path))
            case let source: return source
            }
        }
    }
}
