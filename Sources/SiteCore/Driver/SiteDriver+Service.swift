import Beacons
import Locating

/// What the aggregator service hands over besides inputs.
extension SiteDriver {
    /// The number of items.
    package var itemCount: Int { pipeline.items.count }

    /// Begins with what a former process learned from.
    package mutating func remember(past: TrainingHistory, surveys: [StoredSurveys.Entry]) {
        pipeline.reports.items.study.restore(past: past, surveys: surveys)
    }

    /// Adopts the result of a lesson; `nil` if there was too little to learn from.
    package mutating func adopt(_ learned: Learned?, of lesson: Lesson, at moment: Moment) {
        pipeline.effects.now = moment
        pipeline.reports.items.adopt(learned, of: lesson, at: moment.wall)
    }

    /// By how much the site's local clock is ahead of UTC.
    package mutating func set(utcOffset: Interval) { pipeline.reports.items.utcOffset = utcOffset }

    /// Reports `new` among the problems in the place of `old`, with the next `info`.
    package mutating func replace(problem old: String?, by new: String?) {
        pipeline.status.replace(problem: old, by: new)
    }

    /// Applies a configuration while the aggregator runs.
    ///
    /// - Returns: the tables and keys that changed as well, and take effect at the next start.
    package mutating func reload(_ configuration: AggregatorConfiguration, at moment: Moment) -> [String] {
        pipeline.reload(configuration, at: moment)
    }

    /// Why a configuration does not fit together with what is on disk, as a sentence; `nil` if it does.
    package static func excess(of configuration: AggregatorConfiguration, stored: StoredSite?) -> String? {
        SiteRegistry.excess(configuration, stored: stored)
    }

    /// Why a configuration does not fit together with the present registry, as a sentence; `nil` if it does.
    package func excess(of configuration: AggregatorConfiguration) -> String? {
        SiteRegistry.excess(configuration, stored: pipeline.stored)
    }

    /// The state of the site in one sentence, for the supervisor.
    package func status(at now: Instant) -> String {
        let broker = configuration.broker.endpoint
        guard messenger.isConnected else { return "Knows \(pipeline.items.count) items; no connection to \(broker)" }
        let home = pipeline.items.values.count { $0.presence == .home }
        let alive = pipeline.reports.gateways.alive(at: now)
        let problem = pipeline.status.firstProblem
        return
            ([
                "\(home) of \(pipeline.items.count) items are home",
                "\(alive) of \(pipeline.reports.gateways.count) gateways are alive",
            ]
            + ["connected to \(broker)", problem].compactMap { $0 }).joined(separator: "; ")
    }
}
