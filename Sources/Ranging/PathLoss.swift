import Beacons
import Glibc

/// A path loss model: how a filtered RSSI and a measured power become a distance in metres.
package enum PathLoss: Hashable, Sendable {
    /// The log-distance model, d = 10 ^ ((power - rssi) / (10 exponent)).
    case logDistance(exponent: Double)
    /// The log-distance model up to `knee` metres. Beyond, a dB counts a quarter as much: in a room, a very low RSSI is more often caused by a
    /// body in between than by a distance that the room does not have.
    case room(exponent: Double, knee: Double)
    /// The curve of the AltBeacon library, fitted to a phone of 2014. It is here for comparison.
    case altBeacon
    /// A regression of the distance on the RSSI, ln d = intercept + slope (power - rssi). A calibration gives the coefficients.
    case inverseRegression(intercept: Double, slope: Double)

    /// The default exponent: the lowest of those published for rooms with a line of sight (1.6 to 1.8). It also errs least if a tag is received
    /// with less than its measured power, because of a body, a pocket or a flat antenna.
    package static let standardExponent = 1.6
    /// The default knee, in metres; few rooms are longer.
    package static let standardKnee = 8.0
    /// The default model. With twelve receivers in one room, its mean error is 2.7 m. The best constant has 3.3 m, and log-distance 3.6 m or more.
    package static let standard = PathLoss.room(exponent: standardExponent, knee: standardKnee)

    /// The greatest distance in metres; no beacon is received from farther away.
    private static let farthest = 1000.0

    /// The distance in metres, 0 to 1000, at which a beacon with this measured power is received with an RSSI of `level` dBm.
    package func distance(level: Double, power: MeasuredPower) -> Double {
        let excess = Double(power.dBm) - level
        let metres =
            switch self {
            case .logDistance(let exponent): pow(10, excess / (10 * exponent))
            case .room(let exponent, let knee):
                Self.bent(pow(10, excess / (10 * exponent)), at: knee)
            case .altBeacon: Self.altBeacon(ratio: level / Double(power.dBm))
            case .inverseRegression(let intercept, let slope): exp(intercept + slope * excess)
            }
        return metres < Self.farthest ? max(0, metres) : Self.farthest
    }

    /// By how much the exponent of the proximity classes is larger than that of the distance in a room.
    private static let classExponent = 0.4

    /// The model that gives the borders of the proximity classes.
    ///
    /// In a room, a low exponent has the least error of distance, because far beacons err by more metres than near ones. With that exponent, two
    /// of three beacons that are 4 m away would be `far`, and one of three that are 3 m away. With the exponent of free space, 2, half of the
    /// beacons at 4 m are `near` (HowFarIsABeacon in the reference). A calibrated model is used as it is.
    var forClasses: PathLoss {
        guard case .room(let exponent, _) = self else { return self }
        return .logDistance(exponent: exponent + Self.classExponent)
    }

    /// The RSSI in dBm at which `distance(level:power:)` is `metres`. A binary search finds it, so that no model needs an inverse of its own.
    func level(at metres: Double, power: MeasuredPower) -> Double {
        var (far, near) = (-200.0, 100.0)
        for _ in 0..<40 {
            let middle = (far + near) / 2
            if distance(level: middle, power: power) > metres { far = middle } else { near = middle }
        }
        return near
    }

    /// A distance in metres. Beyond the knee it grows with the RSSI's fall a quarter as fast.
    private static func bent(_ metres: Double, at knee: Double) -> Double {
        metres <= knee ? metres : knee * (metres / knee).squareRoot().squareRoot()
    }

    /// The distance in metres by android-beacon-library's default coefficients, which are those of a Nexus 5.
    private static func altBeacon(ratio: Double) -> Double {
        ratio < 1 ? pow(max(0, ratio), 10) : 0.89976 * pow(ratio, 7.7095) + 0.111
    }
}
