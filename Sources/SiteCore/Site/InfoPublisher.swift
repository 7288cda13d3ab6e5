import Beacons
import Messages

/// When the aggregator's `info` is published, and which problems others than the pipeline's own parts have.
struct InfoPublisher: Sendable {
    /// The time between two messages, if nothing changes.
    static let period = Interval.seconds(30)

    /// Why the disk cannot be written; `nil`: it can.
    private(set) var diskProblem: String?
    /// Problems of the broker's connection and of what surrounds the aggregator, each as a sentence.
    private var problems: [String] = []
    private var next: Instant

    init(at now: Instant) { next = now + Self.period }

    /// The problem that the supervisor shows; `nil` if there is none.
    var firstProblem: String? { diskProblem ?? problems.first }

    /// Whether the period is over.
    func isDue(at now: Instant) -> Bool { now >= next }

    /// Reports `new` among the problems in the place of `old`, with the next `info`.
    mutating func replace(problem old: String?, by new: String?) {
        problems.removeAll { $0 == old }
        if let new { problems.append(new) }
    }

    /// Notes whether the disk can be written, and reports a change at once.
    mutating func note(diskProblem problem: String?, _ effects: inout SiteEffects) {
        guard problem != diskProblem else { return }
        diskProblem = problem
        effects.note(problem ?? "The disk can be written again")
        effects.infoChanged()
    }

    /// Publishes `info` with the problems of others before its own.
    mutating func publish(_ info: AggregatorInfo, on topic: Topic, _ effects: inout SiteEffects) {
        next = effects.now.instant + Self.period
        effects.infoPublished()
        var info = info
        info.problems = problems + [diskProblem].compactMap { $0 } + info.problems
        effects.publish(topic, info)
    }
}
