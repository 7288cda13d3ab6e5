import Beacons
import Testing

@testable import Linux

/// A supervisor gets signs of life only while all duties are on time.
struct WatchdogTests {
    private let start = Instant.zero + .seconds(1000)

    @Test func `the watchdog sends three signs of life in each period`() throws {
        var watchdog = try #require(Watchdog(every: .seconds(30)))
        let fed = (0..<90).filter { second in
            let now = start + .seconds(Double(second))
            return watchdog.feeds(at: now, duties: [now + .seconds(1), nil])
        }
        #expect(fed == [0, 10, 20, 30, 40, 50, 60, 70, 80])
    }

    @Test func `a duty that stays due stops the signs of life`() throws {
        var watchdog = try #require(Watchdog(every: .seconds(30)))
        let due = start + .seconds(5)
        func feeds(at second: Double) -> Bool {
            let now = start + .seconds(second)
            return watchdog.feeds(at: now, duties: [now + .seconds(1), due, now])
        }
        #expect(feeds(at: 0) && feeds(at: 30))
        // Half a minute late is a slow disk; a longer delay is a stuck disk.
        #expect(!feeds(at: 40) && !feeds(at: 60))
    }

    @Test func `a supervisor without a period gets no signs of life`() {
        #expect(Watchdog(every: nil) == nil)
    }

    @Test(arguments: [nil, "", "0", "-5", "soon", "99999999999999999999"])
    func `an invalid period is ignored`(microseconds: String?) {
        #expect(Supervisor(path: nil, microseconds: microseconds, process: nil).watchdogPeriod == nil)
    }

    @Test func `a period for another process is ignored`() {
        #expect(Supervisor(path: nil, microseconds: "30000000", process: "1").watchdogPeriod == nil)
        #expect(Supervisor(path: nil, microseconds: "30000000", process: nil).watchdogPeriod == .seconds(30))
    }
}
