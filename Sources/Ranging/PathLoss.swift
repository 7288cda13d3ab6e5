import Beacons
import Glibc

/// How a filtered RSSI and a measured power become a distance in metres.
public enum PathLoss: Hashable, Sendable {
    /// d = 10 ^ ((power - rssi) / (10 exponent)).
    case logDistance(exponent: Double)
    /// The same up to `knee` metres; beyond, a dB counts a quarter as much: in a room, very weak more often means a body in the way than
    /// a distance that the room does not have.
    case room(exponent: Double, knee: Double)
    /// The curve of the AltBeacon library, fitted to a phone of 2014: for comparison.
    case altBeacon
    /// ln d = intercept + slope (power - rssi): a regression of the distance on the RSSI, whose coefficients a calibration gives.
    case inverseRegression(intercept: Double, slope: Double)

    /// The least of the exponents published for rooms in which one sees the transmitter (1.6 to 1.8). It errs least where a tag claims more
    /// than it gives, too: a body, a pocket, a flat antenna.
    public static let standardExponent = 1.6
    /// In metres; few rooms are longer.
    public static let standardKnee = 8.0
    /// What is used where nothing is configured. On twelve receivers in one room it errs by 2.7 m on average, where the best constant errs
    /// by 3.3 m and log-distance by 3.6 m or more.
    public static let standard = PathLoss.room(exponent: standardExponent, knee: standardKnee)

    /// The greatest distance in metres: no receiver receives a beacon from farther away.
    private static let farthest = 1000.0

    /// The distance in metres at which a beacon that gives `power` dBm at 1 m is received with `level` dBm; 0 to 1000.
    public func distance(level: Double, power: MeasuredPower) -> Double {
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

    /// The exponent of the classes is so much larger than that of the distance in a room.
    private static let classExponent = 0.4

    /// The model by which the levels of the proximity classes are computed.
    ///
    /// In a room, the exponent with the least error of distance is a low one, as the far errs more in metres than the near. At its
    /// level for 4 m, two of three beacons are far that are 4 m away, and one of three that are 3 m away. With the exponent of free
    /// space, 2, half of the beacons at 4 m are near (HowFarIsABeacon in the reference). A calibrated model is taken as it is.
    var forClasses: PathLoss {
        guard case .room(let exponent, _) = self else { return self }
        return .logDistance(exponent: exponent + Self.classExponent)
    }

    /// The level in dBm at which `distance` is so many metres, by halving: no model is inverted by hand, none can disagree with itself.
    func level(at metres: Double, power: MeasuredPower) -> Double {
        var (far, near) = (-200.0, 100.0)
        for _ in 0..<40 {
            let middle = (far + near) / 2
            if distance(level: middle, power: power) > metres { far = middle } else { near = middle }
        }
        return near
    }

    private static func bent(_ metres: Double, at knee: Double) -> Double {
        metres <= knee ? metres : knee * (metres / knee).squareRoot().squareRoot()
    }

    /// The coefficients for a Nexus 5, android-beacon-library's default.
    private static func altBeacon(ratio: Double) -> Double {
        ratio < 1 ? pow(max(0, ratio), 10) : 0.89976 * pow(ratio, 7.7095) + 0.111
    }
}
