import Fleet
import Testing

/// Whole fleets in virtual time. `make fleets` runs thousands; here as many as a test may take.
struct FleetTests {
    @Test(arguments: 1...2 as ClosedRange<UInt64>)
    func `whatever befalls a fleet, what it says is so`(seed: UInt64) {
        let outcome = FleetRun.run(seed: seed)
        #expect(
            outcome.violations.isEmpty,
            "\(outcome.violations.first!); repeat: swift run -c release FleetSimulator fleet --seed \(seed)")
        #expect(outcome.transitions > 0)
    }

    @Test(arguments: 1...2 as ClosedRange<UInt64>)
    func `whatever befalls a radio, what its monitor says is so`(seed: UInt64) {
        let outcome = MonitoringRun.run(seed: seed, hours: 3)
        #expect(
            outcome.violations.isEmpty,
            "\(outcome.violations.first!); repeat: swift run -c release FleetSimulator monitoring --seed \(seed)")
        #expect(outcome.transitions > 0)
    }
}
