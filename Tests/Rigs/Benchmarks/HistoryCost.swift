import Beacons
import History
import Linux
import Messages
import PostgreSQL
import TestBroker

/// What the copy of the history in a real PostgreSQL costs, with the groups of events in which the aggregator's feed writes them.
struct HistoryCost {
    /// Events a second, by the clock.
    var rate: Double
    /// Microseconds of the processor for one event: of this process, and of the server.
    var client: Double
    var server: Double

    private static let items = 1000
    private static let events = 20_000
    private static let start = WallTime(milliseconds: 1_795_239_600_000)

    /// Each of a thousand items comes and goes; the server writes each transaction to the disk.
    static func measure() throws -> HistoryCost {
        let server = try TestDatabase()
        let copy = HistoryCopy(at: server.address, site: "bench")
        // The tables are there.
        try copy.add([], cursor: LogCursor("1.benc-1"))
        let (began, spent, served) = (Clock.now, Clock.processorTime, server.processorTime)
        for first in stride(from: 0, to: events, by: HistoryResponse.most) {
            let changes = (first..<first + HistoryResponse.most).map { number in
                let state = number / items % 2 == 0 ? Stay.State(.home, room: "Room \(number % 6)") : Stay.State(.away)
                return Change(
                    item: "item-\(number % items)", state: state, at: start + .milliseconds(Int64(number)))
            }
            try copy.add(changes, cursor: LogCursor("1.benc-\(first + HistoryResponse.most)"))
        }
        let count = Double(events)
        return HistoryCost(
            rate: count / (Clock.now - began).seconds, client: (Clock.processorTime - spent).seconds / count * 1e6,
            server: (server.processorTime - served).seconds / count * 1e6)
    }
}
