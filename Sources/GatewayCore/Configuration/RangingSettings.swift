import Beacons
import Ranging
import Settings

/// The `[ranging]` table: how distances are estimated, and how often they are published.
package struct RangingSettings: Hashable, Sendable {
    /// How often a ranged state is published if nothing changes: 1 s to 1 h.
    package var heartbeat = Interval.seconds(10)
    /// The filter that makes one value of the last RSSI values.
    package var filter = Filter.standard
    /// The model that makes a distance of the filtered RSSI.
    package var pathLoss = PathLoss.standard
    /// The receiver offset, in dB, added to every RSSI before a distance is estimated.
    package var rssiOffset = 0.0

    private enum FilterWord: String, CaseIterable { case kalman, median, none }
    private enum PathLossWord: String, CaseIterable {
        case room
        case logDistance = "log_distance"
        case altBeacon = "altbeacon"
        case inverseRegression = "inverse_regression"
    }

    package init() {}

    /// Reads `[ranging]`, present or not. Parameters of filters and models that are not chosen are checked as well.
    package init(_ ranging: SettingsTable) {
        heartbeat = ranging.duration("heartbeat", in: .seconds(1) ... .seconds(3600)) ?? heartbeat
        filter = Self.filter(ranging)
        pathLoss = Self.pathLoss(ranging) ?? pathLoss
        rssiOffset = ranging.number("rssi_offset_db", in: -50...50) ?? rssiOffset
    }

    private static func filter(_ ranging: SettingsTable) -> Filter {
        let window = ranging.duration("filter_window", in: .seconds(1) ... .seconds(60)) ?? .seconds(5)
        let drift = ranging.number("filter_drift", in: 0.001...1000) ?? Filter.standardDrift
        let noise = ranging.number("filter_noise", in: 0.001...1000) ?? Filter.standardNoise
        return switch ranging.word("filter", of: FilterWord.self) {
        case .kalman, nil: .kalman(drift: drift, noise: noise)
        case .median: .median(window: window)
        case .some(.none): .none
        }
    }

    // The regression's coefficients have no default, because they come from a calibration. With a slope of 0 or less a weaker RSSI would mean
    // a shorter distance.
    private static func pathLoss(_ ranging: SettingsTable) -> PathLoss? {
        let word = ranging.word("path_loss", of: PathLossWord.self)
        let calibrated = word == .inverseRegression ? ranging.required : ranging
        let exponent = ranging.number("path_loss_exponent", in: 0.5...10) ?? PathLoss.standardExponent
        let knee = ranging.number("path_loss_knee_m", in: 1...1000) ?? PathLoss.standardKnee
        let intercept = calibrated.number("path_loss_intercept", in: -10...10)
        let slope = calibrated.number("path_loss_slope", in: 0.001...1)
        switch word {
        case .room, nil: return .room(exponent: exponent, knee: knee)
        case .logDistance: return .logDistance(exponent: exponent)
        case .altBeacon: return .altBeacon
        case .inverseRegression:
            guard let intercept, let slope else { return nil }
            return .inverseRegression(intercept: intercept, slope: slope)
        }
    }
}
