import Fleet
import Testing

/// Whole fleets in virtual time. `make fleets` runs thousands; here as many as a test may take.
struct FleetTests {
    @Test(arguments: 1...2 as ClosedRange<UInt64>)
    func `a fleet publishes the truth under every fault`(seed: UInt64) {
        let outcome = FleetRun.run(seed: seed)
        #expect(
            outcome.violations.isEmpty,
            "\(outcome.violations.first!); repeat: swift run -c release FleetSimulator fleet --seed \(seed)")
        #expect(outcome.transitions > 0)
    }

    @Test(arguments: 1...2 as ClosedRange<UInt64>)
    func `a monitor reports the truth under every fault of its radio`(seed: UInt64) {
        let outcome = MonitoringRun.run(seed: seed, hours: 3)
        #expect(
            outcome.violations.isEmpty,
            "\(outcome.violations.first!); repeat: swift run -c release FleetSimulator monitoring --seed \(seed)")
        #expect(outcome.transitions > 0)
    }
}
