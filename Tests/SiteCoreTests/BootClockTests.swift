import Beacons
import Messages
import Testing

@testable import SiteCore

/// The clock of a gateway's run, as live messages show it.
struct BootClockTests {
    private static let begin = 1000.0
    private var now = Self.begin
    private var clock = BootClock(boot: Boot("17.kfqx")!, uptime: .zero, receivedAt: .zero + .seconds(Self.begin))
    /// How much time the run's clock has lost.
    private var lost = 0.0

    /// Messages of so many seconds, one each 10 s, arrive with these delays in turn.
    private mutating func live(for seconds: Int, delays: [Double]) {
        for turn in 0..<seconds / 10 {
            now += 10
            let sentAt = now - Self.begin - lost - delays[turn % delays.count]
            clock.learn(uptime: .seconds(sentAt), receivedAt: .zero + .seconds(now))
        }
    }

    /// By how much the present moment of the run is dated too early.
    private var error: Double {
        let present = Instant.zero + .seconds(now)
        return (present - clock.instant(of: .seconds(now - Self.begin - lost), now: present)).seconds
    }

    @Test mutating func `the clock of a virtual machine that was paused is right twenty minutes later, each time`() {
        live(for: 600, delays: [0.1, 1.5])
        for pause in [3600.0, 20] {
            now += pause
            lost += pause
            live(for: 100, delays: [0.1, 1.5])
            #expect(error > pause - 2, "the messages may be late")
            live(for: 1100, delays: [0.1, 1.5])
            #expect(error >= 0 && error < 2)
        }
    }

    @Test mutating func `late messages of some minutes change no clock, and the first in time corrects it, twice`() {
        for late in [300, 1300] {
            live(for: 1200, delays: [0.1, 1.5])
            live(for: late, delays: [30, 31])
            if late < 600 { #expect(abs(error) < 2) }
            live(for: 10, delays: [0.1])
            #expect(abs(error) < 2)
        }
    }
}
