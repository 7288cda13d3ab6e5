import Beacons
import Glibc

/// How a filtered RSSI and a measured power become a distance in metres.
public enum PathLoss: Hashable, Sendable {
    /// d = 10 ^ ((power - rssi) / (10 exponent)).
    case logDistance(exponent: Double)
    /// The curve of the AltBeacon library, fitted to a phone of 2014: for comparison.
    case altBeacon
    /// ln d = intercept + slope (power - rssi): a regression of the distance on the RSSI, whose coefficients a calibration gives.
    case inverseRegression(intercept: Double, slope: Double)
}

extension PathLoss {
    /// What is used where nothing is configured.
    public static let standard = PathLoss.logDistance(exponent: 2.5)

    /// The distance in metres at which a beacon that gives `power` dBm at 1 m is received with `level` dBm.
    public func distance(level: Double, power: MeasuredPower) -> Double {
        let excess = Double(power.dBm) - level
        switch self {
        case .logDistance(let exponent): return pow(10, excess / (10 * exponent))
        case .altBeacon:
            // The curve fitted to a Nexus 5, android-beacon-library's default model.
            let ratio = level / Double(power.dBm)
            return ratio < 1 ? pow(ratio, 10) : 0.89976 * pow(ratio, 7.7095) + 0.111
        case .inverseRegression(let intercept, let slope): return exp(intercept + slope * excess)
        }
    }
}
