import Beacons
import History
import Linux
import Logging
import Messages
import NIOPosix
import PageConfiguration
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
    /// How often the other aggregators are asked whose past was deleted there.
    static let forgetting = Interval.seconds(30)
    /// How long an event log may not respond until that is a problem.
    static let longestSilence = Interval.seconds(300)
    /// How often old stays are deleted.
    static let pruning = Interval.seconds(3600)

    /// How long after its start a machine may wait for somebody to set its clock.
    static let longestUnset = Interval.seconds(600)
    /// Within which time after that the aggregator publishes all locations again, with the right times.
    private static let correcting = Duration.seconds(5)
    /// Whether times can be stored: the clock is synchronised, or it is not to be expected that it will be soon.
    static var isClockSet: Bool { Clock.isSynchronised || Clock.now - .zero >= longestUnset }

    /// How many current states are stored at once.
    static let group = 1000

    private struct State {
        /// The items whose location has changed; `nil`: all have to be compared.
        var changed: Set<String>?
        /// Whether the items have to be compared with the registry: some may have been removed while nobody followed.
        var mustCompare = true
        /// Where items were received for the first time, which is no event, since the last round. An item that left since has another location.
        var received: [String: Change] = [:]
        var removed: [String: Instant] = [:]
        var problem: String?
        /// What was deleted elsewhere, as far as the store has followed.
        var forgotten: [String: WallTime] = [:]
        var isEnding = false
    }

    private let store: any HistoryWriter
    /// The store in words: "The history".
    private let name: String
    /// The items whose past was deleted elsewhere, and up to which time.
    private let forgotten: @Sendable () throws -> [String: WallTime]
    private let settings: HistorySettings
    /// The name of this aggregator if it is one of several: each has an event log with the events that it published.
    private let standby: String?
    private let state = Mutex(State(changed: nil))
    /// The threads that wait for the store.
    private let threads: NIOThreadPool
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private let logger: Logger

    /// A feed of a store; by default of the file that the page reads, which remembers itself what was deleted.
    init(
        _ store: any HistoryWriter, name: String = "The history",
        _ settings: HistorySettings, standby: String? = nil, _ logger: Logger, on threads: NIOThreadPool = .singleton,
        forgotten: @escaping @Sendable () throws -> [String: WallTime] = { [:] }
    ) {
        self.logger = logger
        self.store = store
        self.name = name
        self.settings = settings
        self.standby = standby
        self.forgotten = forgotten
        self.threads = threads
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Why the history is not complete, in a sentence; `nil` if it is.
    var problem: String? { state.withLock(\.problem) }

    /// A connection stands: anything may have happened before.
    func connected() {
        state.withLock { ($0.changed, $0.received, $0.mustCompare) = (nil, [:], true) }
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

    func removed(_ item: String) {
        state.withLock { $0.removed[item] = Clock.now }
        signal.yield()
    }

    /// The items that are over: removed, or removed while nobody followed.
    private func removed(_ removed: [String: Instant], _ board: Board) throws -> [Change] {
        let moment = Clock.moment
        var changes = removed.map { Change(item: $0.key, state: nil, at: moment.wall(at: $0.value)) }
        guard state.withLock(\.mustCompare), let known = board.known else { return changes }
        for item in try store.present() where !known.contains(item) && removed[item] == nil {
            changes.append(Change(item: item, state: nil, at: moment.wall))
        }
        state.withLock { $0.mustCompare = false }
        return changes
    }

    /// Writes what is there; the rest comes from the event log at the next start.
    func end() {
        state.withLock { $0.isEnding = true }
        signal.finish()
        _ = try? store.commit()
    }

    /// Waits while nobody has set the clock of a machine that has just started: what is stored with a wrong time keeps that time. The event log has
    /// the events meanwhile, and its responses have the right times once the clock is set.
    private func waitForClock() async {
        guard !Self.isClockSet else { return }
        logger.notice("\(name) waits until the clock of this machine is set")
        while !Self.isClockSet, !state.withLock(\.isEnding), !Task.isCancelled {
            try? await Task.sleep(for: .seconds(1))
        }
        try? await Task.sleep(for: Self.correcting)
        state.withLock { ($0.changed, $0.received) = (nil, [:]) }
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
        await waitForClock()
        var lastCommit = Clock.now
        var lastPruning = Clock.now - Self.pruning
        var lastRound = Clock.now
        var lastForgetting = Clock.now - Self.forgetting
        var undeleted: String?
        signal.yield()
        for await _ in signals {
            do {
                var refused: Refused?
                if board.trouble() == nil { refused = try await round(board, link) }
                let now = Clock.now
                if refused == nil { lastRound = now }
                if now - lastForgetting >= Self.forgetting, board.trouble() == nil {
                    try await forget(board, link)
                    lastForgetting = now
                }
                if now - lastPruning >= Self.pruning {
                    // By a clock that is years ahead, everything would be old.
                    let isDated = Clock.isSynchronised
                    let end = Clock.wall - settings.keepFor
                    undeleted =
                        try await threads.runIfActive { [store] in try !isDated && store.hasStays(endedBefore: end) }
                        ? "Stays that are older than keep_for are not deleted, because this machine's clock is not synchronised: "
                            + "install systemd-timesyncd or chrony, and see that it runs." : nil
                    let isMore = try await threads.runIfActive { [store, settings] in
                        try store.prune(
                            endedBefore: isDated ? end : WallTime(milliseconds: 0),
                            bytes: settings.sizeMB << 20)
                    }
                    // New events go before the rest of what is old.
                    if isMore { signal.yield() } else { lastPruning = now }
                }
                if now - lastCommit >= settings.commitWithin {
                    _ = try await threads.runIfActive { [store] in try store.commit() }
                    lastCommit = now
                }
                if let refused {
                    // The aggregator may be busy or just starting: nothing is lost.
                    logger.debug("\(name) waits: \(refused.sentence)")
                    let isLong = now - lastRound >= Self.longestSilence
                    replace(
                        problem: isLong ? "\(name) has waited for minutes for an event log: \(refused.sentence)" : nil)
                } else {
                    replace(problem: undeleted ?? store.problem)
                }
                try? await Task.sleep(for: refused == nil ? Self.pause : Self.patience)
                if refused != nil { signal.yield() }
            } catch is CancellationError {
                // The service ends: the event log provides the rest at the next start.
                break
            } catch {
                let isNew = (try? await threads.runIfActive { [store] in try store.recover(from: error) }) ?? false
                let remedy = isNew ? "a new one begins" : store.remedy(of: error)
                replace(problem: "\(name) cannot be written (\(error)): \(remedy); nothing is lost meanwhile.")
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

    /// Stores the events of all event logs behind the last stored ones, in order of time: neighbours with the same state are one stay, so what
    /// happened between them may not come last.
    ///
    /// - Parameter aggregators: the aggregators with a log; `nil`: the only one.
    /// - Returns: whether a log could be read, and why one could not.
    private func follow(
        _ aggregators: [String?], _ link: Link, unless isForgotten: @Sendable (Change) -> Bool
    ) async throws -> (isFollowed: Bool, refused: Refused?) {
        var (isFollowed, refused): (Bool, Refused?) = (false, nil)
        var isMore = true
        while isMore {
            var cursor = try await threads.runIfActive { [store] in try store.cursor() }
            var pages: [HistoryResponse] = []
            for aggregator in aggregators {
                do {
                    pages.append(try await link.ask(.history, HistoryRequest(after: cursor, aggregator: aggregator)))
                } catch { refused = error }
            }
            isFollowed = isFollowed || !pages.isEmpty
            let events = HistoryResponse.merge(pages, behind: &cursor)
            guard !events.isEmpty else { break }
            let changes = events.compactMap(Change.init(event:)).filter { !isForgotten($0) }
            try await threads.runIfActive { [store, cursor] in try store.add(changes, cursor: cursor) }
            isMore = pages.contains(where: \.more)
        }
        return (isFollowed, refused)
    }

    /// Deletes the past that was deleted at another one of several aggregators, perhaps while this one was down.
    private func forget(_ board: Board, _ link: Link) async throws {
        guard let standby, let history = store as? HistoryStore else { return }
        for name in Set(board.aggregators).subtracting([standby]).sorted() {
            do {
                let response = try await link.ask(.forgotten, ForgottenRequest(aggregator: name))
                try await threads.runIfActive {
                    let known = try history.forgotten()
                    for past in response.pasts where known[past.item].map({ $0 < past.before }) ?? true {
                        try history.forget(past.item, upTo: past.before)
                    }
                }
            } catch let error as Refused {
                // One without a history, or of an earlier version.
                logger.debug("\(name) does not report whose past was deleted: \(error.sentence)")
            }
        }
    }

    /// First the events behind the last stored ones, then the locations: so a state that both have is stored once, at the event's time.
    ///
    /// - Returns: why an event log could not be read, if so.
    private func round(_ board: Board, _ link: Link) async throws -> Refused? {
        // The event log still has events that were deleted elsewhere.
        let forgotten = try await threads.runIfActive(forgotten)
        @Sendable func isForgotten(_ change: Change) -> Bool {
            forgotten[change.item].map { change.at <= $0 } ?? false
        }
        let names: [String?] = standby.map { Array(Set(board.aggregators + [$0])).sorted() } ?? [nil]
        let (isFollowed, refused) = try await follow(names, link, unless: isForgotten)
        // A location without its event would be stored at another time than that.
        if let refused, !isFollowed {
            state.withLock { $0.changed = nil }
            return refused
        }
        let (changed, received, removed) = state.withLock { state in
            defer { (state.changed, state.received, state.removed) = ([], [:], [:]) }
            return (state.changed, state.received, state.removed)
        }
        let current = board.locations(of: changed).map { location in
            var change = Change(location)
            // Since it was received first, the location may have been published again.
            if let seen = received[change.item]?.seen { change.seen = min(change.seen, seen) }
            return change
        }
        let first = received.values.filter { !isForgotten($0) }
        let news = forgotten.filter { [former = state.withLock(\.forgotten)] in former[$0.key] != $0.value }
        do {
            try await threads.runIfActive { [self, store, first] in
                let removals = try self.removed(removed, board)
                let changes = current + removals
                let now = Clock.isSynchronised ? Clock.wall : nil
                for (item, time) in news { try store.forget(item, upTo: time) }
                try store.add(first, cursor: nil)
                for first in stride(from: 0, to: changes.count, by: Self.group) {
                    try store.observe(Array(changes[first..<min(first + Self.group, changes.count)]), now: now)
                }
                // Nobody can provide a removal again.
                if !removals.isEmpty { try store.commit() }
            }
        } catch {
            state.withLock { state in
                state.received.merge(received) { newer, _ in newer }
                state.removed.merge(removed) { newer, _ in newer }
            }
            throw error
        }
        state.withLock { $0.forgotten = forgotten }
        return refused
    }
}

/// The thread of copies: a server that does not respond keeps it, and no other work waits for that.
let threadOfCopies: NIOThreadPool = {
    let threads = NIOThreadPool(numberOfThreads: 1)
    threads.start()
    return threads
}()

/// Runs work that waits for a disk or a database, on a thread that may wait: a thread of Swift's own would be missing to every request.
func blocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await NIOThreadPool.singleton.runIfActive(work)
}
