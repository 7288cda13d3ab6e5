import Beacons
import Synchronization
import Testing

@testable import Linux

/// A disk that takes its time, or hangs, holds up nothing else.
struct DiskWorkTests {
    private let start = Instant.zero + .seconds(1000)
    private var patience: Interval { Disk.longestWrite }

    /// Waits until a write has really ended, whatever time the test gives it.
    private func end(of work: DiskWork<String>) throws {
        _ = wait(for: [try #require(work.descriptor)], until: nil)
    }

    @Test func `a write is carried out beside its caller, who gets its outcome once`() throws {
        let gate = try Wakeup()
        var work = DiskWork<String>()
        for name in ["first", "second"] {
            #expect(
                work.begin(of: 0, at: start, failure: \.description) {
                    _ = wait(for: [gate.number], until: nil)
                    gate.acknowledge()
                    return name
                } == nil)
            #expect(work.isBusy && work.take(at: start) == nil)
            gate.ring()
            try end(of: work)
            #expect(work.take(at: start) == name && work.take(at: start) == nil && !work.isBusy)
        }
    }

    @Test func `a write that hangs fails, as does each further one until it has ended, the first time and the second`()
        throws
    {
        let gate = try Wakeup()
        let written = Mutex<[Int]>([])
        var work = DiskWork<String>()
        for round in 1...2 {
            let began = work.begin(of: 0, at: start, failure: \.description) {
                _ = wait(for: [gate.number], until: nil)
                gate.acknowledge()
                written.withLock { $0.append(round) }
                return "late"
            }
            #expect(began == nil)
            let hanging = try #require(work.descriptor)
            #expect(work.deadline(start + .seconds(60), at: start) == start + patience)
            #expect(work.take(at: start + patience - .milliseconds(1)) == nil)
            #expect(work.take(at: start + patience) == "cannot write: the disk has not completed a write within 5 s")
            #expect(!work.isBusy)
            #expect(
                work.begin(of: 0, at: start + patience, failure: { "another: \($0)" }) { "meanwhile" }
                    == "another: cannot write: the disk has not completed a write within 5 s")
            gate.ring()
            _ = wait(for: [hanging], until: nil)
            // What became of it is nobody's outcome.
            #expect(work.take(at: start + patience) == nil && written.withLock { $0.count } == round)
            #expect(work.begin(of: 0, at: start + patience, failure: \.description) { "afterwards" } == nil)
            try end(of: work)
            #expect(work.take(at: start + patience) == "afterwards")
        }
    }

    @Test func `a large write may take longer`() throws {
        let gate = try Wakeup()
        var work = DiskWork<String>()
        _ = work.begin(of: 60 << 20, at: start, failure: \.description) {
            _ = wait(for: [gate.number], until: nil)
            return ""
        }
        #expect(work.take(at: start + .seconds(64)) == nil)
        #expect(work.take(at: start + .seconds(65))?.contains("within 65 s") == true)
        gate.ring()
    }

    @Test func `while a write lasts, what is due waits for it, and nobody looks a thousand times`() throws {
        let gate = try Wakeup()
        var work = DiskWork<String>()
        #expect(work.deadline(start, at: start) == start)
        _ = work.begin(of: 0, at: start, failure: \.description) {
            _ = wait(for: [gate.number], until: nil)
            return ""
        }
        #expect(work.deadline(start, at: start) == start + .milliseconds(20))
        gate.ring()
        try end(of: work)
        _ = work.take(at: start)
        #expect(work.deadline(start, at: start) == start)
    }
}
