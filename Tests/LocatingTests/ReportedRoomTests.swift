import Beacons
import Testing

@testable import Locating

@Suite("The reported room")
struct ReportedRoomTests {
    /// An estimate of the likeliest room first.
    private func estimate(
        _ shares: [(String, Double)], isSettled: Bool = true, stillness: Double = 0, movedAt: Instant? = .zero
    ) -> RoomEstimate {
        RoomEstimate(
            room: shares[0].0, confidence: shares[0].1,
            names: shares.map(\.0), shares: shares.map(\.1), gateway: nil,
            isSettled: isSettled, stillness: stillness, movedAt: movedAt)
    }

    private func after(_ former: [(String, Double)]) -> ReportedRoom {
        var reported = ReportedRoom()
        _ = reported.update(with: estimate(former), at: .zero)
        return reported
    }

    @Test func `an item that came back is in no room before all gateways have reported, and its first room is no move`()
    {
        var reported = after([("Hall", 0.9), ("Kitchen", 0.1)])
        reported.returned()
        #expect(reported.room == nil)
        let early = reported.update(with: estimate([("Porch", 0.8), ("Hall", 0.2)], isSettled: false), at: .zero)
        #expect(early == nil && reported.room == nil)
        let settled = reported.update(with: estimate([("Hall", 0.7), ("Porch", 0.3)]), at: .zero)
        #expect(settled == nil && reported.room == "Hall")
    }

    @Test func `the first room is the likeliest, whichever one the filter has begun with, also if it changes`() {
        let clear = [("Attic", 0.3), ("Hall", 0.6), ("Kitchen", 0.1)]
        for early in [clear, [("Attic", 0.4), ("Hall", 0.3), ("Kitchen", 0.3)]] {
            var reported = after(early)
            let next = reported.update(with: estimate(clear), at: .zero)
            #expect(next == nil && reported.room == "Hall" && reported.announced == "Hall")
        }
    }

    @Test func `a room that becomes clear only after the item came back is no move`() {
        var reported = ReportedRoom()
        reported.returned()
        _ = reported.update(with: estimate([("Porch", 0.4), ("Hall", 0.35), ("Kitchen", 0.25)]), at: .zero)
        #expect(reported.room == "Porch")
        let move = reported.update(with: estimate([("Hall", 0.7), ("Porch", 0.3)]), at: .zero)
        #expect(move == nil && reported.room == "Hall")
        let next = reported.update(with: estimate([("Kitchen", 0.7), ("Hall", 0.3)]), at: .zero)
        #expect(next == ReportedRoom.Move(from: "Hall", to: "Kitchen"))
    }

    @Test func `a draw is no move`() {
        var reported = after([("Hall", 0.6), ("Kitchen", 0.4)])
        let move = reported.update(with: estimate([("Kitchen", 0.52), ("Hall", 0.48)]), at: .zero)
        #expect(move == nil && reported.room == "Hall")
    }

    @Test
    func `a room that is likelier, but not likelier than all others together, is reported and is no event until it is`()
    {
        var reported = after([("Hall", 0.6), ("Kitchen", 0.4)])
        let early = reported.update(with: estimate([("Kitchen", 0.45), ("Hall", 0.3), ("Porch", 0.25)]), at: .zero)
        #expect(early == nil && reported.room == "Kitchen")
        let back = reported.update(with: estimate([("Hall", 0.6), ("Kitchen", 0.4)]), at: .zero)
        #expect(back == nil && reported.room == "Hall")
        let move = reported.update(with: estimate([("Kitchen", 0.6), ("Hall", 0.4)]), at: .zero)
        #expect(move == ReportedRoom.Move(from: "Hall", to: "Kitchen"))
    }

    @Test func `a still item needs a clearer lead to move`() {
        for (stillness, isMove) in [(0.0, true), (1, false)] {
            var reported = after([("Hall", 0.6), ("Kitchen", 0.4)])
            let move = reported.update(
                with: estimate([("Kitchen", 0.6), ("Hall", 0.4)], stillness: stillness), at: .zero)
            #expect((move != nil) == isMove)
        }
    }

    @Test func `a room that cannot be is left at once`() {
        var reported = after([("Porch", 0.6), ("Hall", 0.4)])
        let move = reported.update(
            with: estimate([("Hall", 0.52), ("Kitchen", 0.48), ("Porch", 0)], stillness: 1), at: .zero)
        #expect(move == ReportedRoom.Move(from: "Porch", to: "Hall"))
    }

    @Test func `a restart is no move while the estimate is not settled`() {
        var reported = ReportedRoom("Hall")
        let early = reported.update(with: estimate([("Porch", 0.9), ("Hall", 0.1)], isSettled: false), at: .zero)
        #expect(early == nil && reported.room == "Hall")
    }

    @Test func `of an item that was still a move is what lasts for 20 s, or leads far`() {
        func at(_ second: Int) -> Instant { Instant(milliseconds: Int64(second) * 1000) }
        let there = [("Kitchen", 0.7), ("Hall", 0.3)]
        for (duration, isMove) in [(10, false), (25, true)] {
            var reported = ReportedRoom("Hall")
            _ = reported.update(with: estimate([("Hall", 0.7), ("Kitchen", 0.3)], stillness: 1), at: at(0))
            let moves = (1...duration).compactMap { reported.update(with: estimate(there), at: at($0)) }
            #expect(moves.isEmpty == !isMove)
            #expect(reported.room == "Kitchen")
        }
        var carried = ReportedRoom("Hall")
        _ = carried.update(with: estimate([("Hall", 0.7), ("Kitchen", 0.3)], stillness: 1), at: at(0))
        let move = carried.update(with: estimate([("Kitchen", 0.9), ("Hall", 0.1)]), at: at(1))
        #expect(move == ReportedRoom.Move(from: "Hall", to: "Kitchen"))
    }

    @Test func `of an item whose RSSI has not changed another room is a correction and no move`() {
        func at(_ second: Int) -> Instant { Instant(milliseconds: Int64(second) * 1000) }
        var reported = after([("Hall", 0.8), ("Kitchen", 0.2)])
        let there = [("Kitchen", 0.9), ("Hall", 0.1)]
        for second in 1...60 {
            let stillness = min(1, Double(second) / 50)
            let move = reported.update(with: estimate(there, stillness: stillness, movedAt: nil), at: at(second))
            #expect(move == nil && reported.room == "Kitchen")
        }
        #expect(reported.announced == "Kitchen" && !reported.isPending)
        let back = reported.update(with: estimate([("Hall", 0.9), ("Kitchen", 0.1)], movedAt: at(80)), at: at(90))
        #expect(back == ReportedRoom.Move(from: "Kitchen", to: "Hall"))
    }

    @Test func `an item in another room than before a restart has moved, though no change of its RSSI was seen`() {
        var reported = ReportedRoom("Hall")
        let there = estimate([("Kitchen", 0.9), ("Hall", 0.1)], movedAt: nil)
        #expect(reported.update(with: there, at: .zero) == nil)
        let move = reported.update(with: there, at: .zero + .seconds(20))
        #expect(move == ReportedRoom.Move(from: "Hall", to: "Kitchen"))
        var confirmed = ReportedRoom("Hall")
        _ = confirmed.update(with: estimate([("Hall", 0.8), ("Kitchen", 0.2)], movedAt: nil), at: .zero)
        #expect(confirmed.update(with: estimate([("Kitchen", 0.9), ("Hall", 0.1)], movedAt: nil), at: .zero) == nil)
    }

    @Test(arguments: [(10, false), (25, true)], [0.7, 0.95])
    func `of an item that nobody watched, as the aggregator restarted, a move is what lasts for 20 s, however clear`(
        lasting: (seconds: Int, isMove: Bool), share: Double
    ) {
        var reported = ReportedRoom("Hall")
        let there = estimate([("Kitchen", share), ("Hall", 1 - share)], movedAt: nil)
        let moves = (1...lasting.seconds).compactMap {
            reported.update(with: there, at: Instant(milliseconds: Int64($0) * 1000))
        }
        #expect(moves.isEmpty == !lasting.isMove && reported.room == "Kitchen")
    }

    @Test func `of an adopted room another room is a correction and no move while the RSSI has not changed`() {
        var reported = ReportedRoom()
        reported.adopt("Hall")
        let move = reported.update(
            with: estimate([("Kitchen", 0.9), ("Hall", 0.1)], stillness: 1, movedAt: nil), at: .zero)
        #expect(move == nil && reported.announced == "Kitchen")
    }
}
