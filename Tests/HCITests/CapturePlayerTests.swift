import Beacons
import HCI
import Testing

/// A recording of events of one byte, each recorded so many seconds after `start`.
private func recording(_ seconds: [Double], from start: WallTime = WallTime(milliseconds: 0)) -> [UInt8] {
    btsnoopHeader(1001)
        + seconds.enumerated().flatMap { index, second in
            btsnoopRecord([UInt8(index)], at: start.milliseconds * 1000 + Int64(second * 1_000_000))
        }
}

/// A driver in virtual time: it has the file, and jumps from one deadline to the next.
private struct Driver {
    var file: [UInt8]
    var player: CapturePlayer
    var now: Instant
    var isOver = false
    private var rest: ArraySlice<UInt8>

    init(_ file: [UInt8], _ settings: CapturePlayer.Settings, at beginning: Instant = Instant(milliseconds: 7000)) {
        self.file = file
        rest = file[...]
        now = beginning
        player = CapturePlayer(settings, at: beginning)
    }

    /// The result of one call: which events came, and when they were due, in seconds since the beginning of time.
    mutating func advance(to now: Instant) -> [(event: UInt8, at: Double)] {
        var played: [(UInt8, Double)] = []
        while true {
            switch player.advance(
                to: now, { event, at in played.append((event.byte(at: 0), Double(at.nanoseconds) / 1e9)) })
            {
            case .waiting: return played
            case .needsBytes where rest.isEmpty: player.finish()
            case .needsBytes:
                player.feed(Array(rest.prefix(32)).span.bytes)
                rest = rest.dropFirst(32)
            case .needsRewind:
                rest = file[...]
                return played
            case .ended:
                isOver = true
                return played
            }
        }
    }

    /// Plays until it is over, waits for ever, or has played `most` events.
    mutating func run(most: Int = 1000) -> [(event: UInt8, at: Double)] {
        var played: [(event: UInt8, at: Double)] = []
        while !isOver, played.count < most, let deadline = player.nextDeadline {
            now = max(now, deadline)
            played += advance(to: now)
        }
        return played
    }
}

@Suite("Playing a recording")
struct CapturePlayerTests {
    @Test func `a recording plays at its recorded pace from the given instant`() {
        var driver = Driver(recording([100, 100.5, 102]), CapturePlayer.Settings())
        #expect(driver.advance(to: Instant(milliseconds: 7000)).map(\.event) == [0])
        #expect(driver.player.nextDeadline == Instant(milliseconds: 7500))
        #expect(driver.advance(to: Instant(milliseconds: 7499)).isEmpty)
        #expect(driver.advance(to: Instant(milliseconds: 7500)).map(\.event) == [1])
        #expect(driver.advance(to: Instant(milliseconds: 20_000)).map(\.at) == [9])  // late, and dated when it was due
        #expect(driver.isOver && driver.player.nextDeadline == nil)
        #expect(driver.player.played == 3 && driver.player.problem == nil)
    }

    @Test func `pauses above the limit are shortened, and later events keep their pace`() {
        var driver = Driver(
            recording([0, 10, 3610, 3611, 90_000]), CapturePlayer.Settings(gapLimit: .seconds(60)))
        #expect(driver.run().map(\.at) == [7, 17, 77, 78, 138])
    }

    @Test func `an event after a step back of the clock plays at once, and the pace continues from there`() {
        // An hour back: the record that stepped plays at once, the next a second after it.
        var back = Driver(recording([3600, 3610, 10, 11]), CapturePlayer.Settings())
        #expect(back.run().map(\.at) == [7, 17, 17, 18])
        // Half a second back is disorder, not a step of the clock: the next record keeps its time.
        var disorder = Driver(recording([0, 10, 9.5, 11]), CapturePlayer.Settings())
        #expect(disorder.run().map(\.at) == [7, 17, 17, 18])
    }

    @Test func `events from start_at on are played, and earlier events are skipped`() {
        let start = WallTime("2026-11-21T05:40:00Z")!
        var driver = Driver(
            recording([-60, -0.001, 0, 2.5], from: start), CapturePlayer.Settings(startAt: start))
        let played = driver.run()
        #expect(played.map(\.event) == [2, 3] && played.map(\.at) == [7, 9.5])
        #expect(driver.player.skipped == 2)
    }

    @Test func `several recordings with the same start stay in step across their pauses`() {
        let start = WallTime("2026-11-21T05:40:00Z")!
        // Both have events at 700 s and 900 s; only one of them has a pause before.
        var talkative = Driver(
            recording([0, 100, 200, 300, 400, 500, 600, 700, 900], from: start), CapturePlayer.Settings(startAt: start))
        var quiet = Driver(recording([-30, 700, 900], from: start), CapturePlayer.Settings(startAt: start))
        #expect(talkative.run().suffix(2).map(\.at) == [707, 907])
        #expect(quiet.run().map(\.at) == [707, 907])
    }

    @Test func `a recording that ends before the start plays nothing and is over`() {
        var driver = Driver(
            recording([0, 1]), CapturePlayer.Settings(startAt: WallTime(milliseconds: 5000), atEnd: .loop))
        #expect(driver.run().isEmpty && driver.isOver && driver.player.skipped == 2 && driver.player.problem == nil)
    }

    @Test func `a fast recording plays all events at once with their recorded times`() {
        var driver = Driver(
            recording([0, 10, 1000]), CapturePlayer.Settings(speed: .fast, gapLimit: .seconds(60)))
        #expect(driver.advance(to: Instant(milliseconds: 7000)).map(\.at) == [7, 17, 77])
        #expect(driver.isOver)
    }

    @Test func `a recording with silence at its end is never over`() {
        var driver = Driver(recording([0, 1]), CapturePlayer.Settings(atEnd: .silence))
        #expect(driver.run().count == 2)
        #expect(!driver.isOver && driver.player.nextDeadline == nil)
        #expect(driver.advance(to: Instant(milliseconds: 1_000_000)).isEmpty && !driver.isOver)
    }

    @Test func `a looping recording restarts at its end, and time continues`() {
        var driver = Driver(recording([50, 51, 53]), CapturePlayer.Settings(atEnd: .loop))
        let played = driver.run(most: 7)
        #expect(played.map(\.event) == [0, 1, 2, 0, 1, 2, 0])
        #expect(played.map(\.at) == [7, 8, 10, 11, 12, 14, 15])
    }

    @Test func `a looping recording with a start restarts at that start`() {
        var driver = Driver(
            recording([0, 10, 11]), CapturePlayer.Settings(startAt: WallTime(milliseconds: 8000), atEnd: .loop))
        #expect(driver.run(most: 4).map(\.at) == [9, 10, 13, 14])
        #expect(driver.player.skipped == 2)
    }

    @Test func `a cut recording is played up to the cut, which is reported`() {
        for atEnd in [CapturePlayer.AtEnd.stop, .silence, .loop] {
            var driver = Driver(recording([0, 1]).dropLast(), CapturePlayer.Settings(atEnd: atEnd))
            #expect(driver.run(most: 3).map(\.event) == (atEnd == .loop ? [0, 0, 0] : [0]))
            #expect(driver.isOver == (atEnd == .stop))
            #expect(driver.player.problem == .cutRecord(2))
        }
    }

    @Test(arguments: CapturePlayer.AtEnd.allCases)
    func `a file that is no recording is over at once with every setting`(atEnd: CapturePlayer.AtEnd) {
        var driver = Driver(Array("#!/bin/sh".utf8), CapturePlayer.Settings(atEnd: atEnd))
        #expect(driver.run().isEmpty && driver.isOver && driver.player.problem == .notBtsnoop)
    }

    @Test func `a file with implausible times plays in order and within a century`() {
        let absurd = { (bytes: UInt8) in
            Array(btsnoopRecord([9]).prefix(16)) + [UInt8](repeating: bytes, count: 8) + [9]
        }
        let events = [absurd(0x7F), absurd(0x80), absurd(0xFF), absurd(0x00), absurd(0x7F), absurd(0x80)]
        for gapLimit: Interval? in [nil, .zero, .seconds(60), .seconds(-60), Interval(nanoseconds: .max)] {
            for startAt in [nil, WallTime(milliseconds: .min), WallTime(milliseconds: .max), WallTime(milliseconds: 0)]
            {
                var driver = Driver(
                    btsnoopHeader(1001) + events.flatMap { $0 },
                    CapturePlayer.Settings(speed: .fast, gapLimit: gapLimit, startAt: startAt, atEnd: .loop))
                let played = driver.run(most: 50).map(\.at)
                #expect(zip(played, played.dropFirst()).allSatisfy { $0 <= $1 })
                #expect(played.allSatisfy { (7...3_155_760_007).contains($0) })
            }
        }
    }
}
