/// How a filtered RSSI and a measured power become a distance in metres.
public enum PathLoss: Hashable, Sendable {
    /// d = 10 ^ ((power - rssi) / (10 exponent)).
    case logDistance(exponent: Double)
    /// The curve of the AltBeacon library, fitted to a phone of 2014: for comparison.
    case altBeacon
    /// ln d = intercept + slope (power - rssi): a regression of the distance on the RSSI, whose coefficients a calibration gives.
    case inverseRegression(intercept: Double, slope: Double)
}
