import Delivery
import Beacons
import Testing

struct WriteBudgetTests {
    /// What a day's files come to, if one of `bytes` is replaced as often as the budget lets, asked every `pause` seconds.
    private func written(fileOf bytes: Int, asked pause: Double, days: Double) -> (times: Int, cost: Double) {
        var budget = WriteBudget(at: .zero)
        var now = Instant.zero
        var times = 0
        while now < .zero + .seconds(days * 86_400) {
            if budget.affordable(at: now) <= now {
                budget.spend(replacing: bytes, at: now)
                times += 1
            }
            now = now + .seconds(pause)
        }
        return (times, Double(times * ((bytes + 4095) / 4096 * 4096 + 72_000)) / days)
    }

    @Test(arguments: [100, 11_000, 300_000])
    func `however often a file changes, a day costs five megabytes at most`(bytes: Int) {
        let (times, cost) = written(fileOf: bytes, asked: 30, days: 3)
        #expect(cost < 5e6 && cost > 3.5e6, "\(times) times, \(cost) bytes a day")
    }

    @Test func `a few changes after a quiet time are written at once`() {
        var budget = WriteBudget(at: .zero)
        let later = Instant.zero + .seconds(7 * 86_400)
        for _ in 0..<12 {
            #expect(budget.affordable(at: later) == later)
            budget.spend(replacing: 11_000, at: later)
        }
        #expect(budget.affordable(at: later) > later)
    }

    @Test func `writes at once are followed by a pause that makes up for them`() {
        var budget = WriteBudget(at: .zero)
        for _ in 0..<20 { budget.spend(replacing: 11_000, at: Instant.zero) }
        let wait = budget.affordable(at: Instant.zero) - Instant.zero
        #expect(wait > .seconds(3 * 3600) && wait < .seconds(5 * 3600), "\(wait.seconds) s")
        #expect(budget.affordable(at: Instant.zero + wait) == Instant.zero + wait)
    }
}
