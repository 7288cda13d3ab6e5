import Delivery
import Beacons
import Journal

/// A file of the aggregator's state folder.
package enum SiteFile: String, Sendable {
    /// Registry, presences, and what the gateways' events came to.
    case site = "site.json"
    /// What was received without a label.
    case past = "past.txt"
    /// What was recorded in rooms.
    case surveys = "surveys.json"
}

/// When which of the aggregator's files is written, and what could not be.
struct SiteFiles: Sendable {
    /// The site is written at most so often, and as the budget allows.
    /// What a crash takes with it, gateways and the event log bring back.
    private static let keepPeriod = Interval.seconds(30)
    /// The same if a gateway starts so often that its run ids would be forgotten.
    private static let shortKeepPeriod = Interval.seconds(5)

    /// Why the site is not on disk, if so.
    private(set) var problem: String?
    /// The length of the past that was written last.
    private(set) var pastBytes = 0
    private var budget: WriteBudget
    /// To be written now, in this order.
    private var due: [SiteFile] = []
    private var keepsAt: Instant?
    private var keptLast = Instant.zero

    init(at now: Instant) { budget = WriteBudget(at: now) }

    /// When the site is to be written, if it has changed.
    var nextDeadline: Instant? { keepsAt }

    /// Lets time pass; whether the site is due, which the event log comes before: the other way round a power cut between them would lose
    /// events that the site has as published.
    mutating func areDue(at now: Instant) -> Bool {
        guard let keepsAt, keepsAt <= now else { return false }
        add(.site)
        return true
    }

    /// The site has changed, and is to be written in its time.
    mutating func keep(isUrgent: Bool, at now: Instant) {
        let next =
            isUrgent ? keptLast + Self.shortKeepPeriod : max(budget.affordable(at: now), keptLast + Self.keepPeriod)
        keepsAt = min(keepsAt ?? next, next)
    }

    /// The site is to be written with the next passing of time.
    mutating func keepSoon(at now: Instant) { keepsAt = now }

    /// A file is to be written now.
    mutating func add(_ file: SiteFile) {
        if !due.contains(file) { due.append(file) }
    }

    /// The next file to be written, and its content.
    mutating func next(of pipeline: SitePipeline, at now: Instant) -> (SiteFile, [UInt8])? {
        while !due.isEmpty {
            let file = due.removeFirst()
            switch file {
            case .surveys: return (file, KeptSurveys(pipeline.study.surveys).bytes)
            case .past:
                let bytes = Array(pipeline.study.past.text.utf8)
                budget.spend(replacing: bytes.count, at: now)
                pastBytes = bytes.count
                return (file, bytes)
            case .site:
                let bytes = pipeline.kept.bytes
                (keepsAt, keptLast) = (nil, now)
                // A site that could not be read at the next start shall not replace one that can.
                guard (try? KeptSite(parsing: bytes)) != nil else {
                    wroteSite(problem: "\(file.rawValue) would not be readable: it goes on in memory", at: now)
                    continue
                }
                budget.spend(replacing: bytes.count, at: now)
                return (file, bytes)
            }
        }
        return nil
    }

    /// The site was written, or was not, for this reason; then it is tried again.
    mutating func wroteSite(problem: String?, at now: Instant) {
        self.problem = problem
        if problem != nil { keepsAt = now + EventWriter.patience }
    }
}
