import Beacons
import Settings

/// The `[beacon]` table: the iBeacon that a gateway transmits while it scans, so that gateways receive each other.
package struct BeaconTransmission: Hashable, Sendable, CustomStringConvertible {
    /// The beacon's identity. The default of major and minor is 0.
    package var identity: BeaconIdentity
    /// The measured power that the beacon claims, in dBm at 1 m.
    package var measuredPower = MeasuredPower(dBm: -59)
    /// The advertising interval: 20 ms to 10.24 s.
    package var interval = Interval.milliseconds(100)

    /// The range of `interval` (Core 5.4, Vol 4, E 7.8.5).
    package static let intervals = Interval.milliseconds(20) ... .milliseconds(10_240)

    package init(identity: BeaconIdentity) {
        self.identity = identity
    }

    /// Reads `[beacon]`; `nil` if it is absent or has no uuid.
    package init?(_ beacon: SettingsTable) {
        let uuid = (beacon.isPresent ? beacon.required : beacon).uuid("uuid")
        let major = beacon.number16("major") ?? 0
        let minor = beacon.number16("minor") ?? 0
        let measuredPower = beacon.measuredPower("measured_power_dbm")
        let interval = beacon.duration("interval", in: Self.intervals)
        guard let uuid else { return nil }
        self.init(identity: BeaconIdentity(uuid: uuid, major: major, minor: minor))
        self.measuredPower = measuredPower ?? self.measuredPower
        self.interval = interval ?? self.interval
    }

    /// A sentence for people: `transmitting UUID/1/2, -59 dBm at 1 m, every 100ms`.
    package var description: String {
        "transmitting \(identity), \(measuredPower.dBm) dBm at 1 m, every \(interval.duration)"
    }
}
