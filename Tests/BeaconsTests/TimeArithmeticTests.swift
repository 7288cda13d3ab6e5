import Beacons
import Testing

@Suite("Time arithmetic")
struct TimeArithmeticTests {
    private static let farPast = Instant(nanoseconds: .min)
    private static let farFuture = Instant(nanoseconds: .max)

    @Test func `an instant beyond the clock's range is clamped to the range`() {
        let day = Interval.seconds(86_400)
        #expect(Self.farFuture + day == Self.farFuture)
        #expect(Self.farPast - day == Self.farPast)
        #expect(Self.farFuture - Interval(nanoseconds: .min) == Self.farFuture)
        #expect(Instant(milliseconds: .max) == Self.farFuture)
        #expect(Instant(milliseconds: .min) == Self.farPast)
    }

    @Test func `the span between the ends of the clock saturates at the longest interval`() {
        #expect(Self.farFuture - Self.farPast == Interval(nanoseconds: .max))
        #expect(Self.farPast - Self.farFuture == Interval(nanoseconds: .min))
        #expect(WallTime(milliseconds: .max) - WallTime(milliseconds: .min) == Interval(nanoseconds: .max))
    }

    @Test func `intervals and wall times saturate`() {
        let longest = Interval(nanoseconds: .max)
        #expect(longest + .seconds(1) == longest)
        #expect(Interval(nanoseconds: .min) - .seconds(1) == Interval(nanoseconds: .min))
        #expect(Interval.milliseconds(.min) == Interval(nanoseconds: .min))
        #expect(WallTime(milliseconds: .max) + .seconds(1) == WallTime(milliseconds: .max))
        #expect(WallTime(milliseconds: .min) - .seconds(1) == WallTime(milliseconds: .min))
    }

    @Test func `arithmetic within the range is exact`() {
        let instant = Instant(milliseconds: 1500)
        #expect(instant + .milliseconds(500) == Instant(milliseconds: 2000))
        #expect(instant - .seconds(2) == Instant(milliseconds: -500))
        #expect(Instant(milliseconds: 2) - Instant(milliseconds: 5) == .milliseconds(-3))
    }
}
