import Beacons
import Channels
import EventLogs
import Locating
import Messages
import People
import Text

/// What the aggregator decides in one step, with the time of the step. The parts of the pipeline write to it.
struct SiteEffects: Sendable {
    /// What stands before each topic.
    let prefix: TopicPrefix
    /// The language of what is published for people.
    let texts: Texts
    let boot: Boot
    var now: Moment
    /// What was dated before somebody set the clock.
    var unsetClock: UnsetClock
    /// What has been decided since the outputs were last taken, in order.
    private(set) var outputs: [SiteOutput] = []
    /// Entries of the site that differ from what is on the disk.
    var unwritten = UnwrittenChanges()
    /// What changed of the devices that are announced for Home Assistant, in order. `Announcements` applies and removes it.
    var devices: [Announcements.Change] = []
    /// What is decided about the messages of persons, in order.
    var messages: [PersonalMessage.Change] = []
    /// The items of which presence, room or settings have changed, or that are gone, until people follow them.
    var located: Set<String> = []
    /// What became of notifications, for people.
    var forPeople: [Household.Input] = []
    /// What has become of rooms, until people and the registry follow.
    var roomChanges: [RoomChanges] = []
    /// Whether something changed that `info` reports: it is published once, at the end of the step.
    private(set) var isInfoDue = false
    /// Messages that were refused, by reason.
    private(set) var refused: [String: UInt64] = [:]
    private var json = JSONWriter(reserving: 1024)

    init(prefix: TopicPrefix, in texts: Texts = .english, boot: Boot, at start: Moment) {
        self.prefix = prefix
        self.texts = texts
        self.boot = boot
        unsetClock = UnsetClock(startedAt: start.instant)
        now = start
    }

    /// When this process started.
    var startedAt: Instant { unsetClock.startedAt }

    mutating func add(_ output: SiteOutput) { outputs.append(output) }

    mutating func perform(_ action: SiteDriver.Action) { outputs.append(.perform(action)) }

    mutating func publish(_ message: Message) { outputs.append(.publish(message)) }

    mutating func publish(_ topic: Topic, _ payload: some Payload) { publish(message(topic, payload)) }

    mutating func message(_ topic: Topic, _ payload: some Payload) -> Message { Message(topic, payload, using: &json) }

    mutating func reply<Value: Body>(_ what: String, _ request: Request, _ outcome: Response<Value>.Outcome) {
        publish(.aggregatorResponse(what: what), Response(outcome, transaction: request.transaction))
    }

    /// Logs a line that a person should read.
    mutating func note(_ line: String) { perform(.log(.notice, line)) }
    mutating func warn(_ problem: String) { perform(.log(.warning, problem)) }

    /// Ignores a message from the broker. The first one of each reason is logged.
    mutating func refuse(_ reason: String) {
        if refused[reason] == nil { note("A message from the broker was ignored: \(reason)") }
        refused[reason, default: 0] += 1
    }

    /// Something changed that `info` reports.
    mutating func infoChanged() { isInfoDue = true }

    mutating func infoPublished() { isInfoDue = false }

    /// People follow the items.
    mutating func forgetLocated() {
        located.removeAll(keepingCapacity: true)
        forPeople.removeAll(keepingCapacity: true)
    }

    /// Everything that has been decided since the last call.
    mutating func drainOutputs() -> [SiteOutput] {
        defer { outputs.removeAll(keepingCapacity: true) }
        return outputs
    }

    /// The entries of the site that changed since the last call; `nil` if more may have changed than is listed.
    mutating func drainUnwritten() -> UnwrittenChanges? {
        defer {
            unwritten = UnwrittenChanges()
            unwritten.isEverything = false
        }
        return unwritten.isEverything ? nil : unwritten
    }

    /// When this process started; `nil` while the clock is not synchronised.
    var origin: WallTime? { now.isSynchronised ? now.wall(at: startedAt) : nil }

    /// The present moment in the form that the event log's disk uses.
    var writtenAt: WrittenAt {
        WrittenAt(uptime: .zero + (now.instant - startedAt), wall: now.wall, isSynchronised: now.isSynchronised)
    }

    func stamp(of instant: Instant) -> Stamp {
        Stamp(
            at: now.wall(at: instant), boot: boot, uptime: Instant.zero + (instant - startedAt),
            isClockSynchronised: now.isSynchronised)
    }
}

/// This process's wall clock while nobody has set it, and the items whose `since` is by that clock.
struct UnsetClock: Sendable {
    /// A gateway with a clock that is right may have dated a `since` that differs by more.
    private static let tolerance = Interval.seconds(60)
    /// The least error that is corrected.
    private static let step = Interval.seconds(1)

    /// When this process started.
    let startedAt: Instant
    /// The same by the clock of the last step; `nil`: that clock was synchronised.
    private var origin: WallTime?
    private var items: Set<String> = []

    init(startedAt: Instant) { self.startedAt = startedAt }

    /// Notes by which clock a new `since` of an item is.
    mutating func note(_ since: WallTime?, of item: String, at now: Moment) {
        if !now.isSynchronised, let since, max(since - now.wall, now.wall - since) <= Self.tolerance {
            items.insert(item)
        } else {
            items.remove(item)
        }
    }

    /// Follows the clock, which may have been set since the last step: returns by how much, the items whose `since` has that error, and the times that
    /// the wrong clock had in this process.
    mutating func follow(_ now: Moment) -> (correction: Interval, items: Set<String>, times: ClosedRange<WallTime>)? {
        let start = now.wall(at: startedAt)
        defer {
            origin = now.isSynchronised ? nil : start
            if now.isSynchronised { items = [] }
        }
        guard let origin, max(start - origin, origin - start) >= Self.step else { return nil }
        return (start - origin, items, origin...origin + (now.instant - startedAt))
    }
}
