import Beacons
import Messages
import Testing

@testable import Mosquitto

/// Publications for which a broker ended the connection are retried at growing intervals.
@Suite struct HeldBackTests {
    private func at(_ seconds: Double) -> Instant { .zero + .seconds(1000 + seconds) }
    private func publication(_ size: Int, _ letter: String = "x") -> OutgoingMessage {
        .text("t", String(repeating: letter, count: size - 1))
    }

    @Test func `a publication is not held back before a broker ended a connection for it`() {
        #expect(!HeldBack().refuses(publication(1 << 20), at: at(0)))
    }

    @Test func `a publication is retried after half a minute, then at doubling intervals up to a quarter of an hour`() {
        var held = HeldBack()
        var now = 0.0
        for pause in [30.0, 60, 120, 240, 480, 900, 900] {
            held.caught(publication(500), at: at(now))
            #expect(held.refuses(publication(500), at: at(now + pause - 1)))
            now += pause
            #expect(!held.refuses(publication(500), at: at(now)))
        }
    }

    @Test func `one case holds back one publication, and two cases hold back all publications of that size`() {
        var held = HeldBack()
        held.caught(publication(500), at: at(0))
        #expect(!held.refuses(publication(500, "y"), at: at(1)))
        held.caught(publication(400), at: at(1))
        #expect(held.refuses(publication(400, "y"), at: at(2)))
        #expect(held.refuses(publication(600), at: at(2)))
        #expect(!held.refuses(publication(399), at: at(2)))
        #expect(!held.refuses(publication(600), at: at(31)))
    }

    @Test func `publications of a size that the broker accepted are not held back`() {
        var held = HeldBack()
        held.taken(publication(450))
        held.caught(publication(500), at: at(0))
        held.caught(publication(400), at: at(0))
        #expect(held.refuses(publication(400), at: at(1)))
        #expect(!held.refuses(publication(400, "y"), at: at(1)))
    }

    @Test func `a publication that the broker accepts is no longer held back`() {
        var held = HeldBack()
        held.caught(publication(500), at: at(0))
        held.taken(publication(500))
        #expect(!held.refuses(publication(500), at: at(1)))
    }
}
