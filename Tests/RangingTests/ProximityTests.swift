import Beacons
import Foundation
import Testing

@testable import Ranging

final class ProximityTests {
    private var now = Instant.zero
    /// With this model, -53 dBm is 0.5 m and -71 dBm is 4 m.
    private let borders = ProximityClass.Borders(.logDistance(exponent: 2), power: MeasuredPower(dBm: -59))

    /// The class after each of these RSSI values in turn, one window a second.
    private func classes(of levels: [Double], by proximity: inout ProximityClass) -> [Proximity] {
        levels.map {
            now = now + .seconds(1)
            return proximity.update(level: $0, mean: $0, borders: borders, at: now)
        }
    }

    @Test(arguments: [(-52.0, Proximity.immediate), (-54, .near), (-70, .near), (-72, .far)])
    func `the first RSSI decides the class by its distance: immediate below 0.5 m, near below 4 m`(
        level: Double, proximity: Proximity
    ) {
        var fresh = ProximityClass()
        #expect(fresh.current == .unknown)
        #expect(classes(of: [level], by: &fresh) == [proximity])
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

    @Test func `an RSSI that varies around a border does not change the class`() {
        var proximity = ProximityClass()
        let swaying = (0..<3600).map { -71 + ($0.isMultiple(of: 2) ? -5.0 : 5.0) }
        #expect(Set(classes(of: swaying, by: &proximity)) == [.far])
    }

    @Test func `a beacon that comes nearer changes its class after four windows`() {
        var proximity = ProximityClass()
        _ = classes(of: [-85], by: &proximity)
        #expect(classes(of: [-60, -60, -60, -60, -60], by: &proximity) == [.far, .far, .far, .near, .near])
        #expect(classes(of: [-40, -40, -40, -40], by: &proximity).last == .immediate)
    }

    @Test
    func `a beacon that goes farther changes its class after twelve windows, because a body that passes takes as long`()
    {
        var proximity = ProximityClass()
        _ = classes(of: Array(repeating: -60, count: 300), by: &proximity)
        #expect(Set(classes(of: Array(repeating: -85, count: 11) + [-60], by: &proximity)) == [.near])
        let gone = classes(of: Array(repeating: -85, count: 12), by: &proximity)
        #expect(gone.dropLast().allSatisfy { $0 == .near } && gone.last == .far)
    }

    @Test func `an RSSI a little beyond a border changes the class after some minutes`() {
        var proximity = ProximityClass()
        _ = classes(of: Array(repeating: -76, count: 600), by: &proximity)
        let later = classes(of: Array(repeating: -67, count: 300), by: &proximity)
        #expect(later.prefix(60).allSatisfy { $0 == .far })
        #expect(later.last == .near)
    }

    @Test func `a class that one odd RSSI decided is revised within two minutes`() {
        var proximity = ProximityClass()
        #expect(classes(of: [-76], by: &proximity) == [.far])
        let later = classes(of: Array(repeating: -66.5, count: 120), by: &proximity)
        #expect(later.prefix(5).allSatisfy { $0 == .far })
        #expect(later.last == .near)
    }

    @Test func `a beacon may change from immediate to far without being near`() {
        var proximity = ProximityClass()
        _ = classes(of: [-40], by: &proximity)
        let gone = classes(of: Array(repeating: -95, count: 20), by: &proximity)
        #expect(Set(gone) == [.immediate, .far])
    }

    @Test(arguments: ["Documentation/Forgetmenot.docc/Rules/RulesOfTruth.md", "Sources/Beacons/Proximity.swift"])
    func `the documents have the distances of the classes`(path: String) throws {
        func metres(_ distance: Double) -> String { "\(distance) m".replacing(".0 m", with: " m") }
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let document = try String(contentsOf: root.appending(path: path), encoding: .utf8)
        for distance in [ProximityClass.Borders.immediateMetres, ProximityClass.Borders.nearMetres] {
            let isNamed = ["below ", "below about "].contains {
                document.localizedCaseInsensitiveContains($0 + metres(distance))
            }
            #expect(isNamed, "\(path) has another distance: write \(metres(distance)), as in ProximityClass.Borders")
        }
    }
}
