import Beacons
import Glibc
import Testing

@testable import Linux

@Suite("Clocks, wakeups and waiting")
struct ClockTests {
    @Test func `the monotonic clock never goes back`() {
        var last = Clock.now
        for _ in 0..<1000 {
            let now = Clock.now
            #expect(now >= last)
            last = now
        }
    }

    /// Counts the calls of each source while the state is read twenty times a second for a minute.
    private func questions(
        _ kernel: Bool?, setAt step: Double? = nil
    ) -> (kernel: Int, daemon: Int, states: Set<Bool>) {
        var (synchronisation, asked, states) = (Synchronisation(), (kernel: 0, daemon: 0), Set<Bool>())
        for tick in 0..<1200 {
            let seconds = Double(tick) / 20
            let jump = step.map { seconds >= $0 ? 3600.0 : 0 } ?? 0
            states.insert(
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
        return (asked.kernel, asked.daemon, states)
    }

    @Test func `the kernel's clock state is read every five seconds`() {
        let calls = questions(false)
        #expect(calls.kernel == 12 && calls.daemon == 0 && calls.states == [false])
    }

    @Test func `a kernel that refuses the call is not asked again`() {
        let calls = questions(nil)
        #expect(calls.kernel == 1 && calls.daemon == 12 && calls.states == [true])
    }

    @Test func `the state of a clock that was set is read at once`() {
        #expect(questions(true, setAt: 32.5).kernel == 13)
    }

    @Test func `a signalled wakeup is readable until it is reset`() throws {
        let bell = try Wakeup()
        #expect(wait(for: [bell.number], until: .zero) == [false])
        bell.ring()
        bell.ring()
        #expect(wait(for: [bell.number], until: nil) == [true])
        bell.acknowledge()
        #expect(wait(for: [bell.number], until: .zero) == [false])
    }

    @Test func `a wait ends no earlier than its deadline`() {
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
