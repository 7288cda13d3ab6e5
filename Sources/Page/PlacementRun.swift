import Locating
import Messages
import SiteCore
import Synchronization

/// The advice on placement, computed once for each plan and its surveys: on a large site that takes seconds.
final class PlacementRun: Sendable {
    private struct Run {
        var site: SiteConfiguration
        var surveys: [SurveyResponse.Survey]
        var task: Task<Placement?, Never>
    }

    private let last = Mutex(Run?.none)

    /// The advice; `nil` unless two rooms with an outline have a gateway on the plan.
    func placement(_ site: SiteConfiguration, _ surveys: [SurveyResponse.Survey]) async -> Placement? {
        let task = last.withLock { last in
            if let last, last.site == site, last.surveys == surveys { return last.task }
            let task = Task { try? await blocking { Placement(site, surveys: surveys) } }
            last = Run(site: site, surveys: surveys, task: task)
            return task
        }
        return await task.value
    }
}
