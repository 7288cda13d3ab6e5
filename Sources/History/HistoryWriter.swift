import Beacons
import Messages

/// A store of changes that is filled from the aggregator's event log. Each method may block while it writes.
public protocol HistoryWriter: Sendable {
    /// The last event of the event log that is stored; `nil` before the first.
    func cursor() throws -> EventID?
    /// Stores changes together with the last event that they come from: both or neither.
    func add(_ changes: [Change], cursor: EventID?) throws
    /// Adds current states: a state that lasts already changes nothing, and a state never begins before the last one did,
    /// and a state that began before the last known one is skipped.
    func observe(_ changes: [Change]) throws
    /// Deletes some of the stays that ended before `end`, and of the oldest if the store has a limit and is larger than `bytes`;
    /// returns whether there are more.
    func prune(endedBefore end: WallTime, bytes: Int) throws -> Bool
    /// Deletes the stays of an item that began up to `time`.
    func forget(_ item: String, upTo time: WallTime) throws
    /// What is missing for good, in a sentence; `nil`: nothing.
    var problem: String? { get }
    /// Writes what waits to be written; returns whether there was anything.
    @discardableResult
    func commit() throws -> Bool
}

extension HistoryWriter {
    /// A store that refuses nothing lacks nothing.
    public var problem: String? { nil }
}
