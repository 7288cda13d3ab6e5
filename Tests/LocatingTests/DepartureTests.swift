import Beacons
import Testing

@testable import Locating

/// Whether a silence is an exit or a rest, by what was received before it.
struct DepartureTests {
    private func second(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

    /// Carried through the flat for 30 s, received by three gateways.
    private func carried() -> Departure {
        var departure = Departure()
        for moment in 0..<30 {
            departure.receive(-75 + Double(moment) / 2, at: "hall", at: second(Double(moment)))
            departure.receive(-60 - Double(moment) / 2, at: "kitchen", at: second(Double(moment)))
            departure.receive(-70, at: "study", at: second(Double(moment)))
        }
        return departure
    }

    @Test func `an item of which nothing was received is still`() {
        #expect(!Departure().isLikely)
    }

    @Test func `an item that falls silent at all gateways at once is still`() {
        #expect(!carried().isLikely)
    }

    @Test func `an item that fades at the last gateway, after the others lost it, left`() {
        var departure = carried()
        for moment in 30..<50 {
            departure.receive(-60 - 1.6 * Double(moment - 30), at: "hall", at: second(Double(moment)))
        }
        #expect(departure.isLikely)
    }

    @Test func `an item that is put into a drawer after it was carried is still, though its RSSI falls`() {
        var departure = carried()
        for moment in 30..<36 {
            for (gateway, rssi) in [("hall", -72.0), ("kitchen", -86), ("study", -82)] {
                departure.receive(rssi, at: gateway, at: second(Double(moment)))
            }
        }
        #expect(!departure.isLikely)
    }

    @Test func `the last sighting of a gateway counts at its own time, though it becomes known later`() {
        var departure = carried()
        for moment in 30..<50 {
            departure.receive(-60 - 1.6 * Double(moment - 30), at: "hall", at: second(Double(moment)))
        }
        let before = departure
        departure.receive(-75, at: "study", at: second(29.5))
        #expect(departure.isLikely && before.lastSeen == departure.lastSeen)
    }
}
