import Beacons
import Glibc
import Testing

@testable import Linux

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

    /// How often each was asked while a clock was looked at twenty times a second for a minute.
    private func questions(
        _ kernel: Bool?, setAt step: Double? = nil
    ) -> (kernel: Int, daemon: Int, answers: Set<Bool>) {
        var (synchronisation, asked, answers) = (Synchronisation(), (kernel: 0, daemon: 0), Set<Bool>())
        for tick in 0..<1200 {
            let seconds = Double(tick) / 20
            let jump = step.map { seconds >= $0 ? 3600.0 : 0 } ?? 0
            answers.insert(
                synchronisation.isSynchronised(
                    at: .zero + .seconds(100 + seconds), WallTime(milliseconds: Int64((seconds + jump) * 1000)),
                    askKernel: {
                        asked.kernel += 1
                        return kernel
                    },
                    askDaemon: {
                        asked.daemon += 1
                        return true
                    }))
        }
        return (asked.kernel, asked.daemon, answers)
    }

    @Test func `the kernel is asked every five seconds whether the clock is synchronised`() {
        let told = questions(false)
        #expect(told.kernel == 12 && told.daemon == 0 && told.answers == [false])
    }

    @Test func `a kernel that refuses to answer is not asked again`() {
        let told = questions(nil)
        #expect(told.kernel == 1 && told.daemon == 12 && told.answers == [true])
    }

    @Test func `a clock that was set is asked for at once`() {
        #expect(questions(true, setAt: 32.5).kernel == 13)
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
