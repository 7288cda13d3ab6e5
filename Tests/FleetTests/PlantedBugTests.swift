import Fleet
import Testing

/// Each check has been seen to find something: a mistake is made between a pipeline and its world, and is found.
struct PlantedBugTests {
    /// A fleet that meets the mistake; of the others the first does.
    private static let seeds: [PlantedBug: UInt64] = [
        .ignoresTheRadio: 4, .livesByTheWall: 4, .losesExits: 4, .takesSilenceForAnExit: 6, .guessesRooms: 4,
    ]
    /// What takes more than one fleet to be met: `Trials fleet --seeds 1...12 --plant skips-numbers`.
    private static let rare: Set<PlantedBug> = [.skipsNumbers, .returnsTwice]

    @Test(arguments: PlantedBug.allCases.filter { !rare.contains($0) }) func `a planted bug is found`(bug: PlantedBug) {
        let violations = Trial.run(seed: Self.seeds[bug] ?? 1, bug: bug).violations
        #expect(violations.contains { $0.invariant == bug.breaks }, "not broken: \"\(bug.breaks.rawValue)\"")
    }
}
