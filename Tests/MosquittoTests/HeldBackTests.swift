import Beacons
import Testing

@testable import Mosquitto

/// What a broker ended the connection over is sent again ever more rarely.
@Suite struct HeldBackTests {
    private func at(_ seconds: Double) -> Instant { .zero + .seconds(1000 + seconds) }
    private func publication(_ size: Int, _ letter: String = "x") -> Publication {
        .text("t", String(repeating: letter, count: size - 1))
    }

    @Test func `nothing is held back before a broker ended a connection over it`() {
        #expect(!HeldBack().refuses(publication(1 << 20), at: at(0)))
    }

    @Test func `it is sent again after half a minute, then after twice as long, up to a quarter of an hour`() {
        var held = HeldBack()
        var now = 0.0
        for pause in [30.0, 60, 120, 240, 480, 900, 900] {
            held.caught(publication(500), at: at(now))
            #expect(held.refuses(publication(500), at: at(now + pause - 1)))
            now += pause
            #expect(!held.refuses(publication(500), at: at(now)))
        }
    }

    @Test func `one that was caught says nothing of others, two say that all as large would be`() {
        var held = HeldBack()
        held.caught(publication(500), at: at(0))
        #expect(!held.refuses(publication(500, "y"), at: at(1)))
        held.caught(publication(400), at: at(1))
        #expect(held.refuses(publication(400, "y"), at: at(2)))
        #expect(held.refuses(publication(600), at: at(2)))
        #expect(!held.refuses(publication(399), at: at(2)))
        #expect(!held.refuses(publication(600), at: at(31)))
    }

    @Test func `where something as large was taken, only those that were caught are held back`() {
        var held = HeldBack()
        held.taken(publication(450))
        held.caught(publication(500), at: at(0))
        held.caught(publication(400), at: at(0))
        #expect(held.refuses(publication(400), at: at(1)))
        #expect(!held.refuses(publication(400, "y"), at: at(1)))
    }

    @Test func `what the broker takes after all is held back no longer`() {
        var held = HeldBack()
        held.caught(publication(500), at: at(0))
        held.taken(publication(500))
        #expect(!held.refuses(publication(500), at: at(1)))
    }
}
