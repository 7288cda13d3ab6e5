import Beacons
import Testing

@testable import Ranging

/// When a ranged state is worth a message.
struct ProximityBoardTests {
    /// The RSSI of a still tag indoors, in dB around its mean; always the same.
    private static let scatter: [Double] = [0, 4, -2, 1, -4, 3, -1, 2, -3, 2, 4, -3, -1, 3, -4, 1, -2]

    private struct Published {
        var at: Double
        var posting: ProximityBoard.Posting
        var rssi: Double? { posting.rssi }
        var currentRSSI: Double? { posting.currentRSSI }
    }

    /// A board on which windows end once a second, each with a sighting a tenth of a second.
    private struct Seconds {
        var board = ProximityBoard(heartbeat: .seconds(10))
        private var now = 0.0

        /// Takes the windows of these levels; what is published, with the second of each.
        mutating func take(_ levels: [Double?], proximity: Proximity = .near) -> [Published] {
            var reported: [Published] = []
            for level in levels {
                now += 1
                let ranged = RangedBeacon(
                    identity: bag, proximity: proximity, accuracyMetres: 1, rssiMean: level,
                    sightings: level == nil ? 0 : 10, measuredPower: MeasuredPower(dBm: -59), addresses: 1,
                    at: second(now))
                if let posting = board.update(with: ranged) { reported.append(Published(at: now, posting: posting)) }
            }
            return reported
        }
    }

    @Test func `a silence that becomes ten times rarer is published at once, and so is its end`() {
        var board = ProximityBoard(heartbeat: .seconds(100))
        func posting(_ now: Double, _ perDay: Double?, sightings: Int = 0) -> LongSilence?? {
            let ranged = RangedBeacon(
                identity: bag, proximity: .near, accuracyMetres: 1, rssiMean: sightings > 0 ? -60 : nil,
                sightings: sightings, measuredPower: MeasuredPower(dBm: -59), addresses: 1, at: second(now))
            let silence = perDay.map { LongSilence(since: second(1), perDay: $0) }
            return board.update(with: ranged, silence: silence).map(\.silence)
        }
        for start in [0.0, 10] {
            _ = posting(start + 1, nil, sightings: 1)
            #expect(posting(start + 2, nil) == .none)
            #expect(posting(start + 3, 90)??.perDay == 90)
            #expect(posting(start + 4, 11) == .none)
            #expect(posting(start + 5, 9)??.perDay == 9)
            #expect(posting(start + 6, 0.5)??.perDay == 0.5)
            #expect(posting(start + 7, 0.2) == .none)
            #expect(posting(start + 8, nil, sightings: 1) == .some(nil))
            #expect(posting(start + 9, nil) == .none)
        }
    }

    @Test func `after three heartbeats without a sighting the current RSSI is that of the next window, each time`() {
        var seconds = Seconds()
        for level in [-66.0, -60, -66] {
            _ = seconds.take(Self.scatter.map { $0 - 126 - level })
            let back = seconds.take(Array(repeating: nil, count: 30) + [level])
            #expect(back.last?.currentRSSI == level)
            #expect(seconds.take([level]).isEmpty)
        }
    }

    @Test func `a state without a sighting, published anew, does not keep the next one back, each time`() {
        var seconds = Seconds()
        // The last of them is published, so that none has come since.
        for count in [11, 9] {
            _ = seconds.take(Array(repeating: -60, count: count))
            seconds.board.postAnew()
            let anew = seconds.take([nil, -60, -60])
            #expect(anew.map(\.rssi) == [nil, -60])
        }
    }

    private static func lyingStill(_ seconds: Int, at level: Double, from: Int = 0) -> [Double] {
        (0..<seconds).map { level + scatter[($0 + from) % scatter.count] }
    }

    @Test func `a jump is published at once, however long nothing had moved`() {
        for rest in 1...9 {
            var seconds = Seconds()
            _ = seconds.take(Array(repeating: -60, count: 11 + rest))
            #expect(seconds.take([-72]).map(\.at) == [Double(12 + rest)], "after \(rest) s of rest")
        }
    }

    @Test
    func
        `the state published at a jump has the mean since the state before, and the RSSI and sightings since the jump`()
    {
        var seconds = Seconds()
        for (before, after, mean) in [(-60.0, -72.0, -61.5), (-72, -60, -70.8)] {
            _ = seconds.take(Array(repeating: before, count: 18))
            let reported = seconds.take([after, after])
            #expect(reported.map(\.rssi) == [mean])
            #expect(reported.map(\.currentRSSI) == [after])
            #expect(reported.map(\.posting.currentSightings) == [10])
        }
    }

    @Test func `the current RSSI of a beacon that walks away is nearer to its last windows than the mean is`() {
        var seconds = Seconds()
        _ = seconds.take(Self.lyingStill(34, at: -60))
        for start in [-60.0, -84] {
            let step = start == -60 ? -2.0 : 2
            let walk = zip(0..., Self.lyingStill(12, at: start)).map { $1 + Double($0) * step }
            for published in seconds.take(walk) {
                let level = start + step * (published.at - (start == -60 ? 35 : 47))
                #expect(abs(published.currentRSSI! - level) <= max(4, abs(published.rssi! - level)), "\(published.at)")
            }
        }
    }

    @Test func `the current RSSI of a still beacon scatters less than the means between its states`() {
        var seconds = Seconds()
        let reported = seconds.take(Self.lyingStill(200, at: -60)).dropFirst(2)
        func range(_ values: [Double]) -> Double { values.max()! - values.min()! }
        #expect(range(reported.map { $0.currentRSSI! }) < range(reported.map { $0.rssi! }))
        #expect(reported.allSatisfy { $0.posting.currentSightings == $0.posting.sightings })
    }

    @Test func `a state without sightings has no current RSSI`() {
        var seconds = Seconds()
        _ = seconds.take(Array(repeating: -60, count: 5))
        #expect(seconds.take(Array(repeating: nil, count: 20)).dropFirst().map(\.currentRSSI) == [nil])
    }

    @Test func `a jump out of the scatter is published at once`() {
        var seconds = Seconds()
        _ = seconds.take(Self.lyingStill(37, at: -60))
        let reported = seconds.take(Self.lyingStill(2, at: -80, from: 37))
        #expect(reported.map(\.at) == [38])
    }

    @Test func `a move that no single window shows is published once two or three windows show it`() {
        var seconds = Seconds()
        _ = seconds.take(Self.lyingStill(36, at: -60))
        // By each window alone and by all since the message before, it would be the 41st.
        #expect(seconds.take(Self.lyingStill(6, at: -54, from: 36)).map(\.at).first == 38)
    }

    @Test func `a still beacon that scatters is published at its heartbeats`() {
        var seconds = Seconds()
        let reported = seconds.take(Self.lyingStill(200, at: -60))
        #expect(reported.count <= 24, "\(reported.map(\.at))")
        #expect(reported.count >= 20)
    }

    @Test func `a move of 3 dB is published before the heartbeat, and one of less is not`() {
        var seconds = Seconds()
        _ = seconds.take(Array(repeating: -60, count: 11))
        #expect(seconds.take(Array(repeating: -64, count: 8)).map(\.at) == [12])
        #expect(seconds.take([-66.9, -66.9]).isEmpty)
        #expect(seconds.take([-66.9]).map(\.at) == [22])
    }

    @Test func `each window of a beacon that sends rarely is published if the RSSI moved, whatever its scatter`() {
        var seconds = Seconds()
        func rarely(_ levels: [Double]) -> [Double?] { levels.flatMap { [$0, nil, nil, nil, nil] } }
        _ = seconds.take(rarely(Self.lyingStill(12, at: -60)))
        #expect(seconds.take(rarely([-68])).first?.at == 61)
        _ = seconds.take(rarely(Self.lyingStill(13, at: -68)))
        #expect(seconds.take(rarely([-60])).first?.at == 131)
    }

    @Test func `a changed proximity is published at once, and silence at its heartbeats`() {
        var seconds = Seconds()
        _ = seconds.take(Array(repeating: -60, count: 5))
        #expect(seconds.take([-60], proximity: .far).map(\.at) == [6])
        #expect(seconds.take(Array(repeating: nil, count: 20), proximity: .far).map(\.at) == [16, 26])
    }

    @Test func `the RSSI after silence is published if the beacon moved, and not otherwise`() {
        var seconds = Seconds()
        _ = seconds.take(Array(repeating: -60, count: 11) + Array(repeating: nil, count: 12))
        #expect(seconds.take([-60, -60]).isEmpty)
        #expect(seconds.take([-70]).map(\.at) == [26])
    }
}
