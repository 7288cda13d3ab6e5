import SiteCore
import Beacons
import History
import Linux
import Logging
import Messages
import NIOPosix
import Synchronization

/// Brings what happened from the aggregator's event log to the history.
///
/// The event log has each event until it is here: the feed asks for the events behind the last one that is stored. Messages only show
/// that there is something to ask for, so that a lost message loses nothing. Presence that becomes unknown is no event, so it comes from
/// the items' locations.
final class HistoryFeed: Sendable {
    /// The pause between two rounds.
    static let pause = Duration.seconds(2)
    /// How long to wait after a failure.
    static let patience = Duration.seconds(30)
    /// How often old stays are deleted.
    static let pruning = Interval.seconds(3600)

    /// How many current states are stored at once.
    static let group = 1000

    private struct State {
        /// The items whose location has changed; `nil`: all have to be compared.
        var changed: Set<String>?
        /// Where items were received for the first time, which is no event, since the last round. An item that left since has another location.
        var received: [String: Change] = [:]
        var removed: [String: WallTime] = [:]
        var problem: String?
        /// What was deleted elsewhere, as far as the store has followed.
        var forgotten: [String: WallTime] = [:]
        var isEnding = false
    }

    private let store: any HistoryWriter
    /// The store in words: "The history".
    private let name: String
    /// What to do about a store that cannot be written.
    private let remedy: String
    /// The items whose past was deleted elsewhere, and up to which time.
    private let forgotten: @Sendable () throws -> [String: WallTime]
    private let settings: HistorySettings
    private let state = Mutex(State(changed: nil))
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private let logger: Logger

    /// A feed of a store; by default of the file that the page reads, which remembers itself what was deleted.
    init(
        _ store: any HistoryWriter, name: String = "The history", remedy: String = "free disk space",
        _ settings: HistorySettings, _ logger: Logger,
        forgotten: @escaping @Sendable () throws -> [String: WallTime] = { [:] }
    ) {
        self.logger = logger
        self.store = store
        self.name = name
        self.remedy = remedy
        self.settings = settings
        self.forgotten = forgotten
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Why the history is not complete, in a sentence; `nil` if it is.
    var problem: String? { state.withLock(\.problem) }

    /// A connection stands: anything may have happened before.
    func connected() {
        state.withLock { ($0.changed, $0.received) = (nil, [:]) }
        signal.yield()
    }

    /// There is a new event.
    func noticed() { signal.yield() }

    /// There is a new location of an item.
    ///
    /// - Parameter former: the item's location before; `nil`: there was none.
    func noticed(_ item: String, _ location: ItemLocation?, former: ItemLocation?) {
        state.withLock { state in
            state.changed?.insert(item)
            guard let location, location.presence == .home, former?.presence == .unknown, state.received[item] == nil
            else { return }
            state.received[item] = Change(location)
        }
        signal.yield()
    }

    /// An item was removed.
    func removed(_ item: String) {
        state.withLock { $0.removed[item] = Clock.wall }
        signal.yield()
    }

    /// Writes what is there; the rest comes from the event log at the next start.
    func end() {
        state.withLock { $0.isEnding = true }
        signal.finish()
        _ = try? store.commit()
    }

    /// Works until `end`.
    func run(_ board: Board, _ link: Link) async {
        let ticks = Task { [signal] in
            // For commits and for old stays, also when nothing happens.
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(30))
                signal.yield()
            }
        }
        defer { ticks.cancel() }
        var lastCommit = Clock.now
        var lastPruning = Clock.now - Self.pruning
        for await _ in signals {
            do {
                if board.trouble() == nil { try await round(board, link) }
                let now = Clock.now
                if now - lastPruning >= Self.pruning {
                    // By a clock that is years ahead, everything would be old.
                    let isDated = Clock.isSynchronised
                    let isMore = try await blocking { [store, settings] in
                        try store.prune(
                            endedBefore: isDated ? Clock.wall - settings.keepFor : WallTime(milliseconds: 0),
                            bytes: settings.sizeMB << 20)
                    }
                    // New events go before the rest of what is old.
                    if isMore { signal.yield() } else { lastPruning = now }
                }
                if now - lastCommit >= settings.commitWithin {
                    _ = try await blocking { [store] in try store.commit() }
                    lastCommit = now
                }
                replace(problem: store.problem)
                try? await Task.sleep(for: Self.pause)
            } catch let error as Refused {
                // The aggregator may be busy or just starting: nothing is lost.
                logger.debug("\(name) waits: \(error.sentence)")
                state.withLock { $0.changed = nil }
                try? await Task.sleep(for: Self.patience)
                signal.yield()
            } catch is CancellationError {
                // The service ends: the event log provides the rest at the next start.
                break
            } catch {
                replace(
                    problem: "\(name) cannot be written (\(error)): \(remedy); nothing is lost meanwhile.")
                state.withLock { $0.changed = nil }
                try? await Task.sleep(for: Self.patience)
                signal.yield()
            }
            if state.withLock(\.isEnding) { break }
        }
        _ = try? store.commit()
    }

    private func replace(problem: String?) {
        let former = state.withLock { state in
            defer { state.problem = problem }
            return state.problem
        }
        if let problem, former == nil { logger.error("\(problem)") }
        if problem == nil, former != nil { logger.notice("\(name) is written again") }
    }

    /// First the events behind the last stored one, then the locations: so a state that both have is stored once, at the event's time.
    private func round(_ board: Board, _ link: Link) async throws {
        // The event log still has events that were deleted elsewhere.
        let forgotten = try await blocking(forgotten)
        func isForgotten(_ change: Change) -> Bool { forgotten[change.item].map { change.at <= $0 } ?? false }
        var isMore = true
        while isMore {
            let page = try await link.ask(
                .history, HistoryRequest(after: try await blocking { [store] in try store.cursor() }))
            let changes = page.events.map(Change.init).filter { !isForgotten($0) }
            try await blocking { [store] in try store.add(changes, cursor: page.events.last?.id) }
            isMore = page.more
        }
        let (changed, received, removed) = state.withLock { state in
            defer { (state.changed, state.received, state.removed) = ([], [:], [:]) }
            return (state.changed, state.received, state.removed)
        }
        var changes = board.locations(of: changed).map(Change.init)
        changes += removed.map { Change(item: $0.key, state: nil, at: $0.value) }
        let first = received.values.filter { !isForgotten($0) }
        let news = forgotten.filter { [former = state.withLock(\.forgotten)] in former[$0.key] != $0.value }
        do {
            try await blocking { [store, changes, first] in
                for (item, time) in news { try store.forget(item, upTo: time) }
                try store.add(first, cursor: nil)
                for first in stride(from: 0, to: changes.count, by: Self.group) {
                    try store.observe(Array(changes[first..<min(first + Self.group, changes.count)]))
                }
                // Nobody can provide a removal again.
                if !removed.isEmpty { try store.commit() }
            }
        } catch {
            state.withLock { state in
                state.received.merge(received) { newer, _ in newer }
                state.removed.merge(removed) { newer, _ in newer }
            }
            throw error
        }
        state.withLock { $0.forgotten = forgotten }
    }
}

/// Runs work that waits for a disk or a database, on a thread that may wait: a thread of Swift's own would be missing to every request.
func blocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await NIOThreadPool.singleton.runIfActive(work)
}
