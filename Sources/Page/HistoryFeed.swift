import SiteCore
import Beacons
import History
import Linux
import Logging
import Messages
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

    private struct State {
        /// The items whose location has changed; `nil`: all have to be compared.
        var changed: Set<String>?
        var removed: [String: WallTime] = [:]
        var problem: String?
        var isEnding = false
    }

    let store: HistoryStore
    private let settings: HistorySettings
    private let state = Mutex(State(changed: nil))
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private let logger = Logger.forService("forgetmenot")

    init(_ store: HistoryStore, _ settings: HistorySettings) {
        self.store = store
        self.settings = settings
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Why the history is not complete, in a sentence; `nil` if it is.
    var problem: String? { state.withLock(\.problem) }

    /// A connection stands: anything may have happened before.
    func connected() {
        state.withLock { $0.changed = nil }
        signal.yield()
    }

    /// There is a new event.
    func noticed() { signal.yield() }

    /// There is a new location of an item.
    func noticed(_ item: String) {
        state.withLock { _ = $0.changed?.insert(item) }
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
                    try store.prune(endedBefore: Clock.wall - settings.keepFor, bytes: settings.sizeMB << 20)
                    lastPruning = now
                }
                if now - lastCommit >= settings.commitWithin {
                    try store.commit()
                    lastCommit = now
                }
                replace(problem: nil)
                try? await Task.sleep(for: Self.pause)
            } catch let error as Refused {
                // The aggregator may be busy or just starting: nothing is lost.
                logger.debug("The history waits: \(error.sentence)")
                state.withLock { $0.changed = nil }
                try? await Task.sleep(for: Self.patience)
                signal.yield()
            } catch {
                replace(
                    problem: "The history cannot be written (\(error)): free disk space; nothing is lost meanwhile.")
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
    }

    /// First the events behind the last stored one, then the locations: so a state that both have is stored once, at the event's time.
    private func round(_ board: Board, _ link: Link) async throws {
        var isMore = true
        while isMore {
            let page = try await link.ask(
                "history", HistoryRequest(after: try store.cursor()), for: HistoryAnswer.self)
            try store.add(page.events.map(Change.init), cursor: page.events.last?.id)
            isMore = page.more
        }
        let (changed, removed) = state.withLock { state in
            defer { (state.changed, state.removed) = ([], [:]) }
            return (state.changed, state.removed)
        }
        var changes = board.locations(of: changed).map(Change.init)
        changes += removed.map { Change(item: $0.key, state: nil, at: $0.value) }
        try store.observe(changes)
    }

    /// Deletes an item's past.
    func forget(_ item: String) throws(Refused) {
        do { try store.forget(item) } catch {
            throw Refused(.internalServerError, "The past cannot be deleted: \(error).")
        }
        // A round that is on its way may bring its last events once more.
        Task { [store] in
            try? await Task.sleep(for: Self.pause * 3)
            try? store.forget(item)
        }
    }
}
