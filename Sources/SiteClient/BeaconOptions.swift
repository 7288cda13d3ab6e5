import ArgumentParser
import Beacons
import Linux

/// The options that name a beacon, or a set of beacons.
package struct BeaconOptions: ParsableArguments {
    @Option(help: "The beacon's UUID.")
    var uuid: String?

    // Unconditional: the parser would otherwise read a negative number as an option.
    @Option(parsing: .unconditional, help: "The beacon's major, 0 to 65535.")
    var major: Int?

    @Option(parsing: .unconditional, help: "The beacon's minor, 0 to 65535.")
    var minor: Int?

    @OptionGroup var measuredPower: MeasuredPowerOption

    package init() {}

    package var areEmpty: Bool { uuid == nil && major == nil && minor == nil }

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

    private func number(_ value: Int?, _ option: String) throws(Failure) -> UInt16? {
        guard let value else { return nil }
        guard let number = UInt16(exactly: value) else {
            throw Failure(.usage, "\(option) is \(value): write a number from 0 to 65535")
        }
        return number
    }
}

package struct MeasuredPowerOption: ParsableArguments {
    // Unconditional: the parser would otherwise read a negative number as an option.
    @Option(
        name: .customLong("measured-power"), parsing: .unconditional,
        help: "The beacon's RSSI at 1 m in dBm, instead of the one it claims.")
    var dBm: Int?

    package init() {}

    func power() throws(Failure) -> MeasuredPower? {
        guard let dBm else { return nil }
        guard let power = Int8(exactly: dBm).map({ MeasuredPower(dBm: $0) }), power.isPlausible else {
            throw Failure(.usage, "--measured-power is \(dBm): write -100 to -10, in dBm")
        }
        return power
    }
}
