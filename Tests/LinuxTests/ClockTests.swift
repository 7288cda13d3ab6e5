import Beacons
import Glibc
import Linux
import Testing

@Suite("Clocks, bells and waiting")
struct ClockTests {
    @Test func `the monotonic clock never goes back`() {
        var last = Clock.now
        for _ in 0..<1000 {
            let now = Clock.now
            #expect(now >= last)
            last = now
        }
    }

    @Test func `a bell that was rung wakes, and is silent once answered`() throws {
        let bell = try Wakeup()
        #expect(wait(for: [bell.number], until: .zero) == [false])
        bell.ring()
        bell.ring()
        #expect(wait(for: [bell.number], until: nil) == [true])
        bell.answer()
        #expect(wait(for: [bell.number], until: .zero) == [false])
    }

    @Test func `waiting ends no earlier than its deadline`() {
        let deadline = Clock.now + .milliseconds(5)
        _ = wait(for: [], until: deadline)
        #expect(Clock.now >= deadline)
    }

    @Test func `a descriptor that hung up counts as ready`() {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        close(ends[1])
        #expect(wait(for: [ends[0]], until: nil) == [true])
        close(ends[0])
    }
}
