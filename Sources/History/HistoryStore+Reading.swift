import Beacons
import GRDB

extension HistoryStore {
    /// Where a page of stays ends; the next begins behind it.
    package struct Place: Hashable, Sendable, CustomStringConvertible {
        var item: String
        var begin: Int64

        /// `item:milliseconds`.
        package var description: String { "\(item):\(begin)" }

        package init?(_ text: String) {
            guard let colon = text.lastIndex(of: ":"), let begin = Int64(text[text.index(after: colon)...]),
                begin < .max, isValidID(text[..<colon])
            else { return nil }
            self.init(item: String(text[..<colon]), begin: begin)
        }

        /// Behind the stay of an item that began at `begin`.
        package init(item: String, begin: WallTime) { self.init(item: item, begin: begin.milliseconds) }

        private init(item: String, begin: Int64) {
            self.item = item
            self.begin = begin
        }
    }

    /// The stays that overlap the time between `from` and `to`, by item and beginning, at most `limit`, and where the next page begins.
    package func stays(
        of item: String? = nil, from: WallTime, to: WallTime, limit: Int = most, after place: Place? = nil
    ) async throws -> (stays: [Stay], next: Place?) {
        try await reading { [self] db in
            var stays: [Stay] = []
            let items: [String]
            if let item {
                items = [item]
            } else {
                items = (place.map { [$0.item] } ?? []) + (try self.items(after: place?.item ?? "", in: db))
            }
            for item in items {
                var first = try beginning(of: item, notAfter: from, in: db)?.begin ?? from.milliseconds
                if let place, place.item == item { first = max(first, place.begin + 1) }
                // One row more than the limit shows that there is more, and has the end of the last stay.
                var rows = try Row.fetchAll(
                    db,
                    sql:
                        "SELECT begin_ms, presence, room FROM beginning WHERE item = ? AND begin_ms >= ? AND begin_ms < ? ORDER BY begin_ms LIMIT ?",
                    arguments: [item, first, to.milliseconds, limit - stays.count + 1]
                ).map(StoredRow.init)
                if rows.count <= limit - stays.count, let last = rows.last,
                    let next = try beginning(of: item, after: last.begin, in: db)
                {
                    rows.append(next)
                }
                for (index, row) in rows.enumerated() where row.begin < to.milliseconds {
                    guard stays.count < limit else {
                        let last = stays[stays.count - 1]
                        return (stays, Place(item: last.item, begin: last.from))
                    }
                    guard let state = row.state else { continue }
                    let end = index + 1 < rows.count ? rows[index + 1].begin : nil
                    stays.append(
                        Stay(
                            item: item, state: state, from: WallTime(milliseconds: row.begin),
                            to: end.map(WallTime.init(milliseconds:))))
                }
            }
            return (stays, nil)
        }
    }

    /// The past between two times from afar: for each item and step the state that lasted the longest in it, as stays that begin and end with a
    /// step; the caller asks for at most `mostSteps`. At least `limit` stays, with all of an item, if there are as many; and where the next page begins.
    package func strips(
        of item: String? = nil, from: WallTime, to: WallTime, step: Interval, limit: Int = most,
        after place: Place? = nil
    ) async throws -> (stays: [Stay], next: Place?) {
        try await reading { [self] db in
            var stays: [Stay] = []
            for id in try item.map({ [$0] }) ?? items(after: place?.item ?? "", in: db) {
                if let last = stays.last, stays.count >= limit { return (stays, Place(item: last.item, begin: to)) }
                var strip = Strip(of: id, from: from, to: to, step: step)
                try eachRow(of: id, from: from, to: to, in: db) { strip.change(to: $0.state, at: $0.begin) }
                stays += strip.finish()
            }
            return (stays, nil)
        }
    }

    package func states(at time: WallTime) async throws -> [Stay] {
        try await reading { [self] db in
            try items(in: db).compactMap { item in
                guard let row = try beginning(of: item, notAfter: time, in: db), let state = row.state else {
                    return nil
                }
                return Stay(item: item, state: state, from: WallTime(milliseconds: row.begin))
            }
        }
    }

    /// How long items were in each state between two times, in seconds; the longest first.
    package func totals(
        of item: String? = nil, from: WallTime, to: WallTime
    ) async throws -> [(item: String, state: Stay.State, seconds: Double)] {
        try await reading { [self] db in
            var totals: [(item: String, state: Stay.State, seconds: Double)] = []
            for item in try item.map({ [$0] }) ?? items(in: db) {
                var sums: [Stay.State: Int64] = [:]
                var open: StoredRow?
                try eachRow(of: item, from: from, to: to, in: db) { next in
                    if let open, let state = open.state {
                        sums[state, default: 0] += max(0, next.begin - max(open.begin, from.milliseconds))
                    }
                    open = next
                }
                if let open, let state = open.state {
                    sums[state, default: 0] += max(0, to.milliseconds - max(open.begin, from.milliseconds))
                }
                totals += sums.sorted { $0.value > $1.value }.map { (item, $0.key, Double($0.value) / 1000) }
            }
            return totals
        }
    }

    /// Reads the rows that overlap the time between `from` and `to`, oldest first.
    private func eachRow(
        of item: String, from: WallTime, to: WallTime, in db: Database, _ body: (StoredRow) -> Void
    ) throws {
        let first = try beginning(of: item, notAfter: from, in: db)?.begin ?? from.milliseconds
        let rows = try Row.fetchCursor(
            db,
            sql:
                "SELECT begin_ms, presence, room FROM stay WHERE item = ? AND begin_ms >= ? AND begin_ms < ? ORDER BY begin_ms",
            arguments: [item, first, to.milliseconds])
        while let row = try rows.next().map(StoredRow.init) { body(row) }
    }

    /// The row with which the stay at a time began; `nil` if none had.
    private func beginning(of item: String, notAfter time: WallTime, in db: Database) throws -> StoredRow? {
        try first(
            "beginning WHERE item = ? AND begin_ms <= ? ORDER BY begin_ms DESC", [item, time.milliseconds], in: db)
    }

    /// The row with which the next stay begins; `nil` if none does.
    private func beginning(of item: String, after time: Int64, in db: Database) throws -> StoredRow? {
        try first("beginning WHERE item = ? AND begin_ms > ? ORDER BY begin_ms", [item, time], in: db)
    }
}
