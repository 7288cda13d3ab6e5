import Locating

/// How well a rule did on some walks.
struct Score: Sendable {
    /// The seconds of one walk, and those with the right room.
    private struct Share {
        var seconds = 0
        var right = 0
    }

    private(set) var seconds = 0
    private(set) var right = 0
    private(set) var reported = 0
    private(set) var changes = 0
    /// Changes reported later than a minute after the beginning.
    private(set) var late = 0
    /// Events that name another room, and those whose room is not the true one within 10 s of the event.
    private(set) var (moves, falseMoves) = (0, 0)
    private(set) var found = 0
    /// True changes that an event names before the next one.
    private(set) var foundMoves = 0
    private var delays = 0.0
    /// By the walk's name.
    private var shares: [String: Share] = [:]
    private var bins = Array(repeating: (count: 0, right: 0, claimed: 0.0), count: 10)
    /// By bin, the variance of the right seconds if the confidence is perfectly calibrated, and all seconds of one stay are one draw.
    private var chance = Array(repeating: 0.0, count: 10)

    /// Compares what was reported of a walk with what was true, within `span` milliseconds if that is given.
    mutating func add(_ rows: [Replay.Row], of walk: Walk, within span: (Int64) -> Bool = { _ in true }) {
        let truth = walk.truth
        var share = shares[walk.name] ?? Share()
        defer { shares[walk.name] = share }
        var next = 0
        var stay = Array(repeating: (count: 0.0, claimed: 0.0), count: 10)
        defer { end(&stay) }
        var room = truth.rows.first?.room
        var before: String?
        for row in rows {
            while next < truth.rows.count, truth.rows[next].milliseconds <= row.milliseconds {
                if room != truth.rows[next].room { end(&stay) }
                room = truth.rows[next].room
                next += 1
            }
            defer { before = row.room }
            if row.isMove, span(row.milliseconds) {
                moves += 1
                falseMoves += isTrue(row, of: truth) ? 0 : 1
            }
            guard span(row.milliseconds) else { continue }
            seconds += 1
            right += row.room == room ? 1 : 0
            share.seconds += 1
            share.right += row.room == room ? 1 : 0
            late +=
                before != nil && row.room != nil && row.room != before
                    && row.milliseconds - rows[0].milliseconds > 60_000 ? 1 : 0
            reported += before != nil && row.room != nil && row.room != before ? 1 : 0
            let bin = min(9, Int(row.confidence * 10))
            bins[bin].count += 1
            bins[bin].right += row.room == room ? 1 : 0
            bins[bin].claimed += row.confidence
            stay[bin].count += 1
            stay[bin].claimed += row.confidence
        }
        for (earlier, later) in zip(truth.rows, truth.rows.dropFirst())
        where earlier.room != later.room && span(later.milliseconds) {
            changes += 1
            let when = rows.first { $0.milliseconds >= later.milliseconds && $0.room == later.room }?.milliseconds
            let delay = min(Double((when ?? .max / 2) - later.milliseconds) / 1000, 30)
            delays += delay
            found += delay <= 4 ? 1 : 0
            let next = truth.rows.first { $0.milliseconds > later.milliseconds }?.milliseconds ?? .max
            let stay = later.milliseconds..<next
            foundMoves += rows.contains { $0.isMove && $0.room == later.room && stay.contains($0.milliseconds) } ? 1 : 0
        }
    }

    /// Adds the variance of one stay, and begins another one.
    private mutating func end(_ stay: inout [(count: Double, claimed: Double)]) {
        for (bin, seconds) in stay.enumerated() where seconds.count > 0 {
            chance[bin] += seconds.claimed * (seconds.count - seconds.claimed)
            stay[bin] = (0, 0)
        }
    }

    /// Adds what was scored elsewhere.
    mutating func add(_ other: Score) {
        seconds += other.seconds
        right += other.right
        reported += other.reported
        changes += other.changes
        late += other.late
        moves += other.moves
        falseMoves += other.falseMoves
        found += other.found
        foundMoves += other.foundMoves
        delays += other.delays
        shares.merge(other.shares) { Share(seconds: $0.seconds + $1.seconds, right: $0.right + $1.right) }
        for (bin, more) in other.bins.enumerated() {
            bins[bin].count += more.count
            bins[bin].right += more.right
            bins[bin].claimed += more.claimed
            chance[bin] += other.chance[bin]
        }
    }

    /// Whether an item was in a row's room at some time within 10 s of the row.
    private func isTrue(_ row: Replay.Row, of truth: Truth) -> Bool {
        let margin: Int64 = 10_000
        let former = truth.rows.last { $0.milliseconds <= row.milliseconds - margin } ?? truth.rows.first
        return former?.room == row.room
            || truth.rows.contains { $0.room == row.room && abs($0.milliseconds - row.milliseconds) <= margin }
    }

    /// The share of seconds with the right room.
    var accuracy: Double { seconds > 0 ? Double(right) / Double(seconds) : 0 }
    /// The same share as the mean over the walks, a short one counting as much as a long one.
    var meanOfWalks: Double {
        let each = shares.values.filter { $0.seconds > 0 }.map { Double($0.right) / Double($0.seconds) }
        return each.isEmpty ? 0 : each.reduce(0, +) / Double(each.count)
    }

    /// Seconds until a true change is reported, at most 30 each.
    var delay: Double { changes > 0 ? delays / Double(changes) : 0 }
    /// By how much the confidence is higher than the share of right seconds.
    var overconfidence: Double {
        bins.reduce(0) { $0 + $1.claimed - Double($1.right) } / Double(max(seconds, 1))
    }
    /// The mean distance between the reported confidence and the share that was right.
    var calibrationError: Double {
        bins.reduce(0) { $0 + abs(Double($1.right) - $1.claimed) } / Double(max(seconds, 1))
    }
    /// The calibration error that a perfectly calibrated confidence is expected to have over as few stays, as each stay is right or wrong by chance.
    var chanceOfCalibrationError: Double {
        chance.reduce(0) { $0 + (2 / Double.pi * $1).squareRoot() } / Double(max(seconds, 1))
    }
}
