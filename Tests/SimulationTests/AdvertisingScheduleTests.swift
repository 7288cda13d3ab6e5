import Beacons
import Testing

@testable import Simulation

struct AdvertisingScheduleTests {
    @Test(arguments: [100, 1000, 10_000] as [Int64])
    func `events are an interval and 0 to 10 ms apart, across rounds too`(milliseconds: Int64) {
        var schedule = AdvertisingSchedule(interval: .milliseconds(milliseconds), seed: Seed(1), from: .zero)
        var last = schedule.next
        var delays: [Double] = []
        for _ in 0..<5000 {
            schedule.advance()
            delays.append((schedule.next - last).seconds * 1000 - Double(milliseconds))
            last = schedule.next
        }
        // To the nanosecond: a delay is cut to whole ones.
        #expect((-1e-5...10.00001).contains(delays.min()!) && (-1e-5...10.00001).contains(delays.max()!))
        #expect(abs(delays.reduce(0, +) / 5000 - 5) < 0.05)
        #expect(delays.count { $0 < 1 } > 350 && delays.count { $0 > 9 } > 350)
    }

    @Test func `a schedule that begins later has the same events with the same numbers`() {
        var schedule = AdvertisingSchedule(interval: .milliseconds(100), seed: Seed(1), from: .zero)
        for _ in 0..<1000 { schedule.advance() }
        let time = schedule.next
        let late = AdvertisingSchedule(interval: .milliseconds(100), seed: Seed(1), from: time)
        let early = AdvertisingSchedule(
            interval: .milliseconds(100), seed: Seed(1), from: time - Interval(nanoseconds: 99_000_000))
        #expect(late.next == time && late.number == schedule.number)
        #expect(early.next == time)
    }
}
