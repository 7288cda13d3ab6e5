import Beacons
import Testing

@testable import GatewayService

/// How often something was received in a second, recently.
struct RateMeterTests {
    private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

    @Test func `ten a second are ten from the second second on, and none ten seconds after the last`() throws {
        var meter = RateMeter<String>()
        #expect(meter.rate(of: "tag", 1, since: at(0), at: at(0.5)) == nil)
        #expect(try #require(meter.rate(of: "tag", 21, since: at(0), at: at(2))) == 10)
        for second in 1...30 { meter.note(["tag": UInt64(min(second, 20) * 10)], at: at(Double(second))) }
        #expect(meter.rate(of: "tag", 200, since: at(0), at: at(25)) == 0)
        for second in 31...40 { meter.note(["tag": 200], at: at(Double(second))) }
        #expect(meter.rate(of: "tag", 200, since: at(0), at: at(41)) == 0)
        #expect(meter.rate(of: "other", 5, since: at(39), at: at(41)) == 2)
    }
}
