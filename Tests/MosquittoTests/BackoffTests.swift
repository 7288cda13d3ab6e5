import Beacons
import Testing

@testable import Mosquitto

@Suite struct BackoffTests {
    private func waits(_ count: Int, seed: UInt64, reached: Bool, _ ending: Backoff.Ending) -> [Interval] {
        var backoff = Backoff(seed: seed)
        if reached { backoff.reached() }
        return (0..<count).map { _ in backoff.wait(after: ending) }
    }

    @Test func `no wait before the first connection is longer than four seconds`() {
        for seed in 0..<200 as Range<UInt64> {
            let waits = waits(50, seed: seed, reached: false, .failed)
            #expect(waits[0] <= .milliseconds(500))
            #expect(waits[1] <= .seconds(1))
            #expect(waits.allSatisfy { $0 >= .zero && $0 <= .seconds(4) })
        }
    }

    @Test func `waits after the first connection grow, but stay shorter than the delay of the will`() {
        let all = (0..<200 as Range<UInt64>).flatMap { waits(50, seed: $0, reached: true, .failed) }
        #expect(all.allSatisfy { $0 >= .zero && $0 <= .seconds(8) })
        #expect(all.max()! > .seconds(7.9))
    }

    @Test func `with several addresses, the first waits after a connection stay below two seconds, and grow later`() {
        for seed in 0..<100 as Range<UInt64> {
            var backoff = Backoff(seed: seed, addresses: 3)
            backoff.reached()
            let first =
                [backoff.wait(after: .lost(lasted: .seconds(3600)))] + (0..<8).map { _ in backoff.wait(after: .failed) }
            #expect(first[0] <= .seconds(1) && first.allSatisfy { $0 <= .seconds(2) })
            let later = (0..<50).map { _ in backoff.wait(after: .failed) }
            #expect(later.max()! > .seconds(4) && later.allSatisfy { $0 <= .seconds(8) })
        }
    }

    @Test func `two hundred gateways that lose one broker reconnect evenly within two seconds`() {
        let first = (0..<200 as Range<UInt64>).map {
            waits(1, seed: $0, reached: true, .lost(lasted: .seconds(3600)))[0]
        }
        for quarter in 0..<4 {
            let start = Interval.milliseconds(500) * Double(quarter)
            let count = first.filter { $0 >= start && $0 < start + .milliseconds(500) }.count
            #expect((25...80).contains(count), "\(count) of 200 in quarter \(quarter)")
        }
    }

    @Test(arguments: [0, 5, 60, 600])
    func
        `a broker that restarts is never asked by more than three quarters of them in a second, and has all in eight seconds`(
            downSeconds: Double
        )
    {
        var attempts: [Int: Int] = [:]
        var last = 0.0
        for seed in 0..<200 as Range<UInt64> {
            var backoff = Backoff(seed: seed)
            backoff.reached()
            var time = backoff.wait(after: .lost(lasted: .seconds(3600))).seconds
            attempts[Int(time), default: 0] += 1
            while time < downSeconds {
                time += backoff.wait(after: .failed).seconds
                attempts[Int(time), default: 0] += 1
            }
            last = max(last, time)
        }
        #expect(attempts.values.max()! <= 150, "\(attempts)")
        #expect(last <= downSeconds + 8)
        // After a few refusals the rate is lower.
        #expect(attempts.filter { $0.key >= 20 }.values.max() ?? 0 <= 80, "\(attempts)")
    }

    @Test func `a lasting connection resets the waits, and a short one counts as a failure`() {
        for seed in 0..<100 as Range<UInt64> {
            var backoff = Backoff(seed: seed)
            backoff.reached()
            for _ in 0..<10 { _ = backoff.wait(after: .failed) }
            #expect(backoff.wait(after: .lost(lasted: .seconds(5))) <= .seconds(2))
        }
        let longest = waits(500, seed: 1, reached: true, .lost(lasted: .seconds(4))).max()!
        #expect(longest > .seconds(7))
    }

    @Test func `a client that was taken over waits for at least a minute, and longer each time`() {
        for seed in 0..<100 as Range<UInt64> {
            let waits = waits(6, seed: seed, reached: true, .takenOver(lasted: .seconds(100)))
            for (wait, minutes) in zip(waits, [1.0, 2, 4, 8, 8, 8]) {
                #expect(wait >= .seconds(60) * minutes && wait <= .seconds(120) * minutes)
            }
        }
    }

    @Test
    func
        `who suspects another with its id stays away for half a minute, and longer each time until an hour passed in peace`()
    {
        for seed in 0..<100 as Range<UInt64> {
            var backoff = Backoff(seed: seed)
            backoff.reached()
            for most in [40.0, 80, 160, 320, 640, 960, 960] {
                let wait = backoff.wait(after: .perhapsTakenOver)
                #expect(wait >= .seconds(most / 2) && wait <= .seconds(most))
                _ = backoff.wait(after: .lost(lasted: .seconds(900)))
            }
            _ = backoff.wait(after: .lost(lasted: .seconds(3600)))
            #expect(backoff.wait(after: .perhapsTakenOver) <= .seconds(40))
        }
    }

    @Test func `a takeover after an hour of connection counts as the first`() {
        var backoff = Backoff(seed: 7)
        for _ in 0..<5 { _ = backoff.wait(after: .takenOver(lasted: .seconds(1))) }
        #expect(backoff.wait(after: .takenOver(lasted: .seconds(3600))) <= .seconds(120))
    }

    @Test func `equal seeds give equal waits, and different seeds give different waits`() {
        #expect(waits(9, seed: 5, reached: true, .failed) == waits(9, seed: 5, reached: true, .failed))
        #expect(waits(9, seed: 5, reached: true, .failed) != waits(9, seed: 6, reached: true, .failed))
    }
}
