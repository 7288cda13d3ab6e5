import Beacons
import Glibc
import Testing

@testable import Ranging

struct PathLossTests {
    private static let models: [PathLoss] = [
        .standard, .logDistance(exponent: 2), .logDistance(exponent: 0.5), .altBeacon,
        .inverseRegression(intercept: 0.35, slope: 0.04), .room(exponent: 3, knee: 4),
    ]
    private let power = MeasuredPower(dBm: -59)

    private func metres(_ model: PathLoss, _ level: Double) -> Double {
        (model.distance(level: level, power: power) * 1000).rounded() / 1000
    }

    @Test func `log-distance is a metre at the measured power, and ten for ten times the exponent less`() {
        #expect(metres(.logDistance(exponent: 2), -59) == 1)
        #expect(metres(.logDistance(exponent: 2), -79) == 10)
        #expect(metres(.logDistance(exponent: 2), -39) == 0.1)
        #expect(metres(.logDistance(exponent: 4), -99) == 10)
    }

    @Test func `the room's path loss is log-distance up to the knee, and beyond it a dB counts a quarter as much`() {
        let room = PathLoss.room(exponent: 2, knee: 10)
        #expect(metres(room, -59) == 1)
        #expect(metres(room, -79) == 10)
        #expect(metres(room, -159) == 100)
    }

    @Test func `the curve for comparison is the one that others publish`() {
        // 0.89976 × ratio^7.7095 + 0.111 above 1, ratio^10 below: ratios of 1, 1.2 and 0.8.
        #expect(metres(.altBeacon, -59) == 1.011)
        #expect(metres(.altBeacon, -59 * 1.2) == 3.78)
        #expect(metres(.altBeacon, -59 * 0.8) == 0.107)
    }

    @Test func `a regression's distance follows from its coefficients`() {
        let model = PathLoss.inverseRegression(intercept: log(2), slope: log(3) / 10)
        #expect(metres(model, -59) == 2)
        #expect(metres(model, -69) == 6)
    }

    @Test(arguments: models)
    func `the weaker is never the nearer, and no distance is absurd, whatever the power`(model: PathLoss) {
        for power in -128...127 {
            var before = 0.0
            for level in stride(from: 20.0, through: -127, by: -0.5) {
                let metres = model.distance(level: level, power: MeasuredPower(dBm: Int8(power)))
                #expect((0...1000).contains(metres))
                if MeasuredPower(dBm: Int8(power)).isPlausible {
                    #expect(metres >= before)
                    before = metres
                }
            }
        }
    }

    @Test(arguments: models, [0.5, 4])
    func `the level of a distance is one at which the distance is so`(model: PathLoss, metres: Double) {
        let level = model.level(at: metres, power: power)
        #expect(abs(model.distance(level: level, power: power) - metres) < 1e-6)
    }
}
