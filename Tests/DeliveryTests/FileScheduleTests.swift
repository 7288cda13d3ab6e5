import Beacons
import Delivery
import Testing

struct FileScheduleTests {
    private enum File: CaseIterable { case count, states }

    private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

    @Test func `a file is written at the earliest of its times, and once`() {
        var schedule = FileSchedule<File>(at: .zero)
        schedule.add(.states, at: at(300))
        schedule.add(.states, at: at(5))
        schedule.add(.states, at: at(60))
        #expect(schedule.nextDeadline == at(5) && schedule.advance(to: at(4)).isEmpty && schedule.next() == nil)
        #expect(schedule.advance(to: at(5)) == [.states])
        schedule.add(.states)
        #expect(schedule.next() == .states && schedule.next() == nil && schedule.nextDeadline == nil)
    }

    @Test func `a file that could not be written is due again, and its problem is reported until it is written`() {
        var schedule = FileSchedule<File>(at: .zero)
        schedule.wrote(.states, problem: "the disk is full", retryAt: at(5))
        schedule.wrote(.count, problem: nil, retryAt: at(5))
        #expect(schedule.problem == "the disk is full" && schedule.advance(to: at(5)) == [.states])
        #expect(schedule.next() == .states)
        schedule.wrote(.states, problem: nil, retryAt: at(10))
        #expect(schedule.problem == nil && schedule.nextDeadline == nil)
    }

    @Test func `at the end every file is written that is scheduled, in the order of their names`() {
        var schedule = FileSchedule<File>(at: .zero)
        schedule.add(.states, at: at(300))
        schedule.wrote(.count, problem: "the disk is full", retryAt: at(5))
        schedule.finish()
        #expect([schedule.next(), schedule.next(), schedule.next()] == [.count, .states, nil])
    }
}
