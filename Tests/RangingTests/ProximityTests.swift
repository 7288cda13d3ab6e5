import Beacons
import Glibc
import Testing

@testable import Ranging

final class ProximityTests {
    private var now = Instant.zero
    /// Of a model by which -53 dBm is half a metre, and -71 dBm four.
    private let borders = ProximityClass.Borders(.logDistance(exponent: 2), power: MeasuredPower(dBm: -59))

    /// What is said at each of these levels in turn, of one window a second.
    private func said(_ levels: [Double], by proximity: inout ProximityClass) -> [Proximity] {
        levels.map {
            now = now + .seconds(1)
            return proximity.update(level: $0, mean: $0, borders: borders, at: now)
        }
    }

    @Test(arguments: [(-52.0, Proximity.immediate), (-54, .near), (-70, .near), (-72, .far)])
    func `the first level decides by the borders alone: half a metre and four`(level: Double, proximity: Proximity) {
        var fresh = ProximityClass()
        #expect(fresh.current == .unknown)
        #expect(said([level], by: &fresh) == [proximity])
    }

    @Test func `in a room the classes meet six dB above and twelve below the measured power, as in free space`() {
        let borders = ProximityClass.Borders(.standard, power: MeasuredPower(dBm: -59))
        #expect(abs(borders.immediate + 53) < 0.1 && abs(borders.near + 71) < 0.1)
        // Who calibrated a gateway means the metres of the calibration.
        let calibrated = PathLoss.inverseRegression(intercept: 0, slope: log(2) / 6)
        #expect(abs(ProximityClass.Borders(calibrated, power: MeasuredPower(dBm: -59)).near + 71) < 0.1)
        let exponent = ProximityClass.Borders(.logDistance(exponent: 2.5), power: MeasuredPower(dBm: -59))
        #expect(abs(exponent.near + 74) < 0.1)
    }

    @Test func `a level that sways about a border changes nothing`() {
        var proximity = ProximityClass()
        let swaying = (0..<3600).map { -71 + ($0.isMultiple(of: 2) ? -5.0 : 5.0) }
        #expect(Set(said(swaying, by: &proximity)) == [.far])
    }

    @Test func `what comes nearer is said after four windows`() {
        var proximity = ProximityClass()
        _ = said([-85], by: &proximity)
        #expect(said([-60, -60, -60, -60, -60], by: &proximity) == [.far, .far, .far, .near, .near])
        #expect(said([-40, -40, -40, -40], by: &proximity).last == .immediate)
    }

    @Test func `what goes farther is said after twelve, as a body that passes takes as much`() {
        var proximity = ProximityClass()
        _ = said(Array(repeating: -60, count: 300), by: &proximity)
        #expect(Set(said(Array(repeating: -85, count: 11) + [-60], by: &proximity)) == [.near])
        let gone = said(Array(repeating: -85, count: 12), by: &proximity)
        #expect(gone.dropLast().allSatisfy { $0 == .near } && gone.last == .far)
    }

    @Test func `what is a little beyond a border for minutes is said, too`() {
        var proximity = ProximityClass()
        _ = said(Array(repeating: -76, count: 600), by: &proximity)
        let later = said(Array(repeating: -67, count: 300), by: &proximity)
        #expect(later.prefix(60).allSatisfy { $0 == .far })
        #expect(later.last == .near)
    }

    @Test func `a class that one odd level decided is revised within a minute or two`() {
        var proximity = ProximityClass()
        #expect(said([-76], by: &proximity) == [.far])
        let later = said(Array(repeating: -66.5, count: 120), by: &proximity)
        #expect(later.prefix(5).allSatisfy { $0 == .far })
        #expect(later.last == .near)
    }

    @Test func `from immediate to far it may go at once`() {
        var proximity = ProximityClass()
        _ = said([-40], by: &proximity)
        let gone = said(Array(repeating: -95, count: 20), by: &proximity)
        #expect(Set(gone) == [.immediate, .far])
    }
}
