import Beacons
import Messages

/// A store of changes that is filled from the aggregator's event log. Each method may block while it writes.
package protocol HistoryWriter: Sendable {
    /// How far the event logs are stored; empty before the first event.
    func cursor() throws -> LogCursor
    /// Stores changes together with how far the event logs are stored with them: both or neither.
    func add(_ changes: [Change], cursor: LogCursor?) throws
    /// Adds current states: a state that lasts already changes nothing, and a state never begins before the last one did,
    /// and a state that began before the last known one is skipped.
    ///
    /// - Parameter now: the time by a clock that is synchronised; `nil`: the clock is not. A last state that begins later was dated by a clock
    ///   that was ahead, and is replaced.
    func observe(_ changes: [Change], now: WallTime?) throws
    /// Deletes some of the stays that ended before `end`, and of the oldest if the store has a limit and is larger than `bytes`;
    /// returns whether there are more.
    func prune(endedBefore end: WallTime, bytes: Int) throws -> Bool
    /// Deletes the stays of an item that began up to `time`.
    func forget(_ item: String, upTo time: WallTime) throws
    /// What is missing for good, in a sentence; `nil`: nothing.
    var problem: String? { get }
    /// The items that are somewhere, or away, at the end of the history.
    func present() throws -> [String]
    /// Begins anew after an error that means that the store is damaged; returns whether it was.
    func recover(from error: any Error) throws -> Bool
    /// Whether stays ended before `end`, and the store is the one that reports that they are not deleted.
    func hasStays(endedBefore end: WallTime) throws -> Bool
    /// What to do about an error.
    func remedy(of error: any Error) -> String
    /// Writes what waits to be written; returns whether there was anything.
    @discardableResult
    func commit() throws -> Bool
}

extension HistoryWriter {
    /// A store that refuses nothing lacks nothing.
    package var problem: String? { nil }
}
