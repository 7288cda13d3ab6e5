import Delivery
import Beacons
import EventLogs
import Messages

/// A file of the aggregator's state folder.
package enum SiteFile: String, CaseIterable, Sendable {
    /// Registry, presences, and what the gateways' events came to.
    case site = "site.json"
    /// What changed since `site` was written, a line for each write.
    case changes = "site.log"
    /// What was received without a label.
    case past = "past.txt"
    /// What was recorded in rooms.
    case surveys = "surveys.json"
}

/// When which of the aggregator's files is written, and what could not be.
struct SiteFiles: Sendable {
    /// The site is written at most so often, and as the budget allows.
    /// What a crash takes with it, gateways and the event log bring back.
    private static let storePeriod = Interval.seconds(30)
    /// The same if a gateway starts so often that its run ids would be forgotten.
    private static let shortStorePeriod = Interval.seconds(5)
    /// The size of `site.log`, in bytes, up to which changes are appended even if `site.json` is smaller. A larger log is replaced by a whole
    /// `site.json`.
    static let leastLog = 256 << 10

    /// The length of the past that was written last.
    private(set) var pastBytes = 0
    var schedule: FileSchedule<SiteFile>
    private var storedLast = Instant.zero
    /// What makes the generations of this process unique, and how many there were.
    private let boot: Boot
    private var generations = 0
    /// The sizes of `site.json` and `site.log` in bytes; `nil` if the log cannot be continued, so that the whole site is to be written.
    private var lengths: (site: Int, log: Int)?

    init(_ boot: Boot, at now: Instant) {
        self.boot = boot
        schedule = FileSchedule(at: now)
    }

    private var generation: String { "\(boot)-\(generations)" }

    /// Lets time pass; returns whether the site is due.
    mutating func areDue(at now: Instant) -> Bool { !schedule.advance(to: now).isEmpty }

    /// The site has changed, and is to be written in its time.
    mutating func store(isUrgent: Bool, at now: Instant) {
        let next =
            isUrgent
            ? storedLast + Self.shortStorePeriod
            : max(schedule.budget.affordable(at: now), storedLast + Self.storePeriod)
        schedule.add(.site, at: next)
    }

    mutating func writeWhole() {
        lengths = nil
        schedule.add(.site)
    }

    /// The write of the next file that is due.
    mutating func next(of pipeline: inout SitePipeline, at now: Instant) -> SiteDriver.Action? {
        while let file = schedule.next() {
            switch file {
            case .surveys: return .replace(file, StoredSurveys(pipeline.items.study.surveys).bytes)
            case .past:
                let bytes = Array(pipeline.items.study.past.text.utf8)
                schedule.budget.spend(replacing: bytes.count, at: now)
                pastBytes = bytes.count
                return .replace(file, bytes)
            case .site, .changes:
                storedLast = now
                if let write = changes(of: &pipeline, at: now) ?? whole(of: pipeline, at: now) { return write }
            }
        }
        return nil
    }

    /// The write of what has changed: the first line after a whole site replaces the former log, further lines are appended. `nil` if the whole
    /// site is to be written.
    private mutating func changes(of pipeline: inout SitePipeline, at now: Instant) -> SiteDriver.Action? {
        guard let changes = pipeline.drainChanges(after: generation), let lengths else { return nil }
        let line = changes.line
        guard lengths.log + line.count <= max(Self.leastLog, lengths.site) else { return nil }
        self.lengths = (lengths.site, lengths.log + line.count)
        if lengths.log == 0 {
            schedule.budget.spend(replacing: line.count, at: now)
            return .replace(.changes, line)
        }
        schedule.budget.spend(overwriting: line.count, at: now)
        return .append(.changes, line)
    }

    private mutating func whole(of pipeline: SitePipeline, at now: Instant) -> SiteDriver.Action? {
        generations += 1
        var site = pipeline.stored
        site.generation = generation
        let bytes = site.bytes
        // A site that could not be read at the next start shall not replace one that can.
        guard (try? StoredSite(parsing: bytes)) != nil else {
            wroteSite(problem: "\(SiteFile.site.rawValue) would not be readable: it goes on in memory", at: now)
            return nil
        }
        lengths = (bytes.count, 0)
        schedule.budget.spend(replacing: bytes.count, at: now)
        return .replace(.site, bytes)
    }

    /// The site was written, or was not, for this reason; then it is tried again.
    mutating func wroteSite(problem: String?, at now: Instant) {
        schedule.wrote(.site, problem: problem, retryAt: now + EventWriter.patience)
        // Nobody knows how much of a line is there.
        if problem != nil { lengths = nil }
    }
}
