import Beacons
import GRDB

extension HistoryStore {
    /// Adds current states: a state that lasts already changes nothing, and a state never begins before the last one did.
    ///
    /// A state that began before the last known one is older than the events, which arrive by another way: it is skipped. Three states are replaced:
    /// `unknown` for `shortestUnknown` at most, as after each start, a stay without a room, and one that a clock that was ahead dated.
    package func observe(_ changes: [Change], now: WallTime? = nil) throws {
        let changes = try queue.writeWithoutTransaction { db in
            try changes.compactMap { change -> Change? in
                let last = try row(of: change.item, notAfter: .max, in: db)
                guard let last else { return change.state == nil ? nil : change }
                guard last.state != change.state else { return nil }
                let begin = WallTime(milliseconds: last.begin)
                var change = change
                let isAhead = now.map { begin - $0 > Self.shortestUnknown } ?? false
                if change.at < begin, !isAhead, let state = last.state {
                    let isUnknown = state.presence == .unknown
                    guard isUnknown || state == Stay.State(.home) && change.state?.presence == .home else { return nil }
                    if isUnknown, change.seen - begin > Self.shortestUnknown {
                        change.at = change.seen
                    } else if isUnknown, let before = try row(of: change.item, notAfter: last.begin - 1, in: db),
                        before.state == change.state
                    {
                        // A second beginning of that state would stay behind a departure that turns out to have been before.
                        (change.at, change.gap) = (WallTime(milliseconds: before.begin), last.begin)
                        return change
                    }
                }
                change.at = max(change.at, begin)
                return change
            }
        }
        try add(changes)
        // What a full disk left of a past that was deleted.
        if changes.contains(where: { $0.state == nil }) { try deleteForgotten() }
    }
}
