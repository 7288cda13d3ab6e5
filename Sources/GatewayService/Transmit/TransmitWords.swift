import GatewayCore
import Beacons
import Linux
import Settings

/// The options of `transmit`, as the user wrote them, unchecked.
package struct TransmitWords: Sendable {
    var uuid: String
    var major: Int
    var minor: Int
    var measuredPower: Int
    var interval: String

    /// The options of `transmit`.
    package init(uuid: String, major: Int, minor: Int, measuredPower: Int, interval: String) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
        self.measuredPower = measuredPower
        self.interval = interval
    }

    /// The beacon to transmit; throws if an option is out of range.
    func beacon() throws(Failure) -> BeaconTransmission {
        guard let uuid = BeaconUUID(written: uuid) else {
            throw Failure(
                .usage,
                "\"\(uuid)\" is not a UUID: write 32 hexadecimal digits like e2c56db5-dffb-48d2-b060-d0f5a71096e0")
        }
        var beacon = BeaconTransmission(
            identity: BeaconIdentity(
                uuid: uuid, major: try Self.number(major, "--major"), minor: try Self.number(minor, "--minor")))
        guard let power = Int8(exactly: measuredPower).map({ MeasuredPower(dBm: $0) }), power.isPlausible else {
            throw Failure(.usage, "--measured-power is \(measuredPower): write -100 to -10, in dBm")
        }
        let range = BeaconTransmission.intervals
        guard let interval = Interval(duration: interval), range.contains(interval) else {
            throw Failure(
                .usage,
                "--interval is \"\(interval)\": write \(range.lowerBound.duration) to \(range.upperBound.duration), like 100ms"
            )
        }
        (beacon.measuredPower, beacon.interval) = (power, interval)
        return beacon
    }

    private static func number(_ value: Int, _ what: String) throws(Failure) -> UInt16 {
        guard let number = UInt16(exactly: value) else {
            throw Failure(.usage, "\(what) is \(value): write a number from 0 to 65535")
        }
        return number
    }
}
