import Beacons
import Linux

/// The options for a beacon or a set of beacons, as the user wrote them, unchecked.
package struct BeaconWords: Sendable {
    var uuid: String?
    var major: Int?
    var minor: Int?
    var measuredPower: Int?

    package init(uuid: String?, major: Int?, minor: Int?, measuredPower: Int?) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
        self.measuredPower = measuredPower
    }

    func beacon() throws(Failure) -> BeaconIdentity {
        guard case .beacon(let beacon) = try scope() else {
            throw Failure(.usage, "a beacon needs --uuid, --major and --minor: give all three")
        }
        return beacon
    }

    func scope() throws(Failure) -> Region.Scope {
        guard let text = uuid else { throw Failure(.usage, "no beacon is named: give --uuid, --major and --minor") }
        guard let uuid = BeaconUUID(written: text) else {
            throw Failure(
                .usage,
                "\"\(text)\" is not a UUID: write 32 hexadecimal digits like e2c56db5-dffb-48d2-b060-d0f5a71096e0")
        }
        let major = try number(major, "--major")
        let minor = try number(minor, "--minor")
        guard let major else {
            guard minor == nil else { throw Failure(.usage, "--minor needs --major: give both") }
            return .uuid(uuid)
        }
        return minor.map { .beacon(BeaconIdentity(uuid: uuid, major: major, minor: $0)) } ?? .major(uuid, major)
    }

    func power() throws(Failure) -> MeasuredPower? {
        guard let measuredPower else { return nil }
        guard let power = Int8(exactly: measuredPower).map({ MeasuredPower(dBm: $0) }), power.isPlausible else {
            throw Failure(.usage, "--measured-power is \(measuredPower): write -100 to -10, in dBm")
        }
        return power
    }

    private func number(_ value: Int?, _ option: String) throws(Failure) -> UInt16? {
        guard let value else { return nil }
        guard let number = UInt16(exactly: value) else {
            throw Failure(.usage, "\(option) is \(value): write a number from 0 to 65535")
        }
        return number
    }
}
