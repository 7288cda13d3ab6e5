import Beacons
import Testing

@testable import Linux

/// A process that stood still, as in a container that was paused.
struct StallWatchTests {
    private func at(_ seconds: Double) -> Instant { .zero + .seconds(1000 + seconds) }

    @Test func `a turn of the loop that is late by more than five seconds is a stall, each time`() {
        var watch = StallWatch()
        var isFirst = watch.hasStalled(at: at(0))
        #expect(!isFirst)
        for start in [0.0, 100] {
            watch.sleeps(until: at(start + 30), at: at(start))
            isFirst = watch.hasStalled(at: at(start + 35))
            #expect(!isFirst, "the loop was to sleep for 30 s")
            watch.sleeps(until: at(start + 40), at: at(start + 35))
            let (first, second) = (watch.hasStalled(at: at(start + 45.1)), watch.hasStalled(at: at(start + 45.2)))
            #expect(first && !second)
            // Between two lines of one turn.
            let third = watch.hasStalled(at: at(start + 60))
            #expect(third)
        }
    }

    @Test func `a deadline that is over when the loop goes to sleep is no stall, twice`() {
        var watch = StallWatch()
        for start in [0.0, 100] {
            watch.sleeps(until: at(start - 50), at: at(start))
            let hasStalled = watch.hasStalled(at: at(start + 1))
            #expect(!hasStalled)
            watch.sleeps(until: at(start + 100), at: at(start + 1))
        }
    }

    @Test func `a machine that slept is noticed, the second time as well`() {
        var watch = StallWatch()
        var asleep = Interval.seconds(600)
        for start in [0.0, 100] {
            watch.sleeps(until: at(start), at: at(start - 1))
            let before = watch.hasStalled(at: at(start), asleep: asleep)
            // The two clocks of the kernel are not read at the same instant.
            let jitter = watch.hasStalled(at: at(start + 1), asleep: asleep + .milliseconds(1))
            asleep = asleep + .seconds(1)
            let after = watch.hasStalled(at: at(start + 2), asleep: asleep)
            #expect(!before && !jitter && after)
        }
    }
}
