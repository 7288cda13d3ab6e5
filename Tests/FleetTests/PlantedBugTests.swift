import Fleet
import Testing

/// Each check has been seen to find something: a mistake is made between a pipeline and its world, and is found.
struct PlantedBugTests {
    /// The fourth fleet is a short one that meets most; the first that meets the mistake is enough.
    private static let seeds: [UInt64] = [4] + Array(1...12)

    @Test(arguments: PlantedBug.allCases) func `a planted bug is found`(bug: PlantedBug) {
        let isFound = Self.seeds.contains { seed in
            Trial.run(seed: seed, bug: bug).violations.contains { $0.invariant == bug.breaks }
        }
        #expect(isFound, "none of these fleets breaks \"\(bug.breaks.rawValue)\"")
    }

    @Test func `a gateway that is hard of hearing is found in monitoring alone`() {
        let isFound = Self.seeds.contains { seed in
            MonitoringTrial.run(seed: seed, hours: 3, bug: .isHardOfHearing).violations
                .contains { $0.invariant == .exitNeedsSilence }
        }
        #expect(isFound, "none of these monitors exits too soon")
    }
}
