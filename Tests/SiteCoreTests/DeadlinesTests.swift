import Beacons
import Testing

@testable import SiteCore

@Suite("Deadlines")
struct DeadlinesTests {
    private func instant(_ seconds: Int) -> Instant { .zero + .seconds(Double(seconds)) }

    private func due(_ deadlines: inout Deadlines, at seconds: Int) -> [String] {
        var keys: [String] = []
        while let key = deadlines.takeDue(at: instant(seconds)) { keys.append(key) }
        return keys
    }

    @Test func `keys are due in the order of their deadlines, each once`() {
        var deadlines = Deadlines()
        for (key, at) in [("c", 3), ("a", 1), ("b", 2), ("d", 9)] { deadlines.set(key, at: instant(at)) }
        #expect(due(&deadlines, at: 0) == [])
        #expect(due(&deadlines, at: 3) == ["a", "b", "c"])
        #expect(due(&deadlines, at: 8) == [])
        #expect(due(&deadlines, at: 9) == ["d"])
        #expect(deadlines.count == 0)
    }

    @Test func `a deadline can move in both directions, and can be taken away`() {
        var deadlines = Deadlines()
        deadlines.set("later", at: instant(1))
        deadlines.set("later", at: instant(5))
        deadlines.set("sooner", at: instant(5))
        deadlines.set("sooner", at: instant(2))
        deadlines.set("never", at: instant(1))
        deadlines.remove("never")
        #expect(due(&deadlines, at: 2) == ["sooner"])
        #expect(due(&deadlines, at: 4) == [])
        #expect(due(&deadlines, at: 5) == ["later"])
    }

    @Test func `a deadline that moves again and again does not make the queue grow`() {
        var deadlines = Deadlines()
        for key in 0..<10 { deadlines.set("\(key)", at: instant(5)) }
        for step in 0..<10_000 {
            deadlines.set("\(step % 10)", at: instant(10 + step))
            deadlines.set("\(step % 7)", at: instant(10_000 - step))
            deadlines.remove("\(step % 3)")
        }
        #expect(deadlines.count <= 10 && deadlines.places <= 10)
    }

    @Test(arguments: 1...20) func `the queue agrees with a plain list, whatever is asked of it`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var deadlines = Deadlines()
        var list: [String: Int] = [:]
        for now in 0..<500 {
            for _ in 0..<5 {
                let key = "\(random.next() % 20)"
                let at = now + Int(random.next() % 30)
                switch random.next() % 4 {
                case 0:
                    deadlines.remove(key)
                    list[key] = nil
                default:
                    deadlines.set(key, at: instant(at))
                    list[key] = at
                }
            }
            let expected = list.filter { $0.value <= now }
            #expect(Set(due(&deadlines, at: now)) == Set(expected.keys))
            for key in expected.keys { list[key] = nil }
        }
    }
}
