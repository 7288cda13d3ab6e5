import Beacons
import Settings

/// The `[beacon]` table: the iBeacon that a gateway sends while it scans, so that gateways hear each other.
public struct BeaconTransmission: Hashable, Sendable {
    /// Who it is; major and minor are 0 where they are not written.
    public var identity: BeaconIdentity
    /// What it claims to give at 1 m.
    public var measuredPower = MeasuredPower(dBm: -59)
    /// How often it sends: 20 ms to 10.24 s.
    public var interval = Interval.milliseconds(100)

    /// What `interval` may be (Core 5.4, Vol 4, E 7.8.5).
    static let intervals = Interval.milliseconds(20) ... .milliseconds(10_240)

    /// A beacon of this identity, with the defaults.
    public init(identity: BeaconIdentity) {
        self.identity = identity
    }

    /// Reads `[beacon]`; `nil` where it is absent, or has no uuid.
    public init?(_ beacon: SettingsTable) {
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
}

extension BeaconTransmission: CustomStringConvertible {
    /// «transmitting UUID/1/2, -59 dBm at 1 m, every 100ms».
    public var description: String {
        "transmitting \(identity), \(measuredPower.dBm) dBm at 1 m, every \(interval.duration)"
    }
}
