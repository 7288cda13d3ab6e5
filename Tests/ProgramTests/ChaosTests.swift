import TestBroker
import Testing

/// A short form of `make chaos`.
@Suite(.enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
struct ChaosTests {
    @Test func `through kills, stops and cuts no event is lost, doubled or told out of order`() throws {
        let end = try RunningProgram([Program.folder + "/Chaos", "40", "11"]).ended(within: .seconds(240))
        #expect(end.status == 0, "\(end.output)")
        #expect(end.output.contains("nothing missing, nothing doubled, in order"))
    }
}
