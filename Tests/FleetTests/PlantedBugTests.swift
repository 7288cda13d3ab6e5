import Fleet
import Testing

/// Each check has been seen to find something: a mistake is made between a pipeline and its world, and is found.
struct PlantedBugTests {
    /// A fleet that meets the mistake; of the others the first does.
    private static let seeds: [PlantedBug: UInt64] = [
        .ignoresTheRadio: 4, .livesByTheWall: 4, .losesExits: 4, .takesSilenceForAnExit: 6, .guessesRooms: 4,
        .takesSilenceForAnEnter: 3, .skipsNumbers: 2, .returnsTwice: 2, .delaysResponses: 6, .missesAdvertisements: 2,
    ]

    @Test(arguments: PlantedBug.allCases) func `a planted bug is found`(bug: PlantedBug) {
        let violations = FleetRun.run(seed: Self.seeds[bug] ?? 1, bug: bug).violations
        #expect(violations.contains { $0.invariant == bug.breaks }, "not broken: \"\(bug.breaks.rawValue)\"")
    }

    @Test func `a pipeline that lives by the wall clock is found although the clock steps by decades`() {
        let violations = FleetRun.run(seed: 21, bug: .livesByTheWall).violations
        #expect(violations.contains { $0.invariant == .clocksChangeNothing })
    }
}
