import Beacons
import Delivery
import Messages

/// What the aggregator publishes about itself: that it is online, and its `info` with the problems.
struct AggregatorStatus: Sendable {
    /// The time between two messages with `info`, if nothing changes.
    static let period = Interval.seconds(30)

    private let availabilityTopic: Topic
    private(set) var isConnected = false
    private var wasConnected = false
    private var onlineAgain = OnlineAgain()
    /// Why the disk cannot be written; `nil`: it can.
    private var diskProblem: String?
    /// Problems of the broker's connection and of what surrounds the aggregator, each as a sentence.
    private var problems: [String] = []
    private var nextInfo: Instant

    init(_ part: SitePart, at now: Instant) {
        availabilityTopic = part.availabilityTopic
        nextInfo = now + Self.period
    }

    // MARK: Whether it is online

    mutating func connected(at now: Instant) {
        isConnected = true
        // Before the first connection there was no will, and each repetition makes other aggregators publish their locations again.
        if wasConnected { onlineAgain.connected(at: now) }
        wasConnected = true
    }

    mutating func disconnected() {
        isConnected = false
        onlineAgain.disconnected()
    }

    /// Whether it is to be repeated that the aggregator is online, which counts as done then.
    mutating func takeOnlineDue(at now: Instant) -> Bool { onlineAgain.takeDue(at: now) }

    func publish(_ availability: Availability, _ effects: inout SiteEffects) {
        effects.publish(Message(availabilityTopic, availability))
    }

    // MARK: Its info

    /// The problem that the supervisor shows; `nil` if there is none.
    var firstProblem: String? { diskProblem ?? problems.first }

    func isInfoDue(at now: Instant) -> Bool { now >= nextInfo }

    /// Reports `new` among the problems in the place of `old`, with the next `info`.
    mutating func replace(problem old: String?, by new: String?) {
        problems.removeAll { $0 == old }
        if let new { problems.append(new) }
    }

    /// Notes whether the disk can be written, and reports a change at once.
    mutating func note(diskProblem problem: String?, _ effects: inout SiteEffects) {
        guard problem != diskProblem else { return }
        diskProblem = problem
        if let problem { effects.warn(problem) } else { effects.note("The disk can be written again") }
        effects.infoChanged()
    }

    /// Publishes `info` with the problems of others behind its own.
    mutating func publish(_ info: AggregatorInfo, _ effects: inout SiteEffects) {
        nextInfo = effects.now.instant + Self.period
        effects.infoPublished()
        var info = info
        info.problems = problems + [diskProblem].compactMap { $0 } + info.problems
        effects.add(.info(info))
    }
}
