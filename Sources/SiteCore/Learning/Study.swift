import Beacons
import Locating

/// What the aggregator learns from: the unlabelled past and the surveys; and what it has learned.
struct Study: Sendable {
    /// After a lesson, the next one at the earliest.
    static let pause = Interval.seconds(600)
    /// The same where gateways or surveys have changed.
    static let shortPause = Interval.seconds(5)
    /// The past is written at most so often, and when a tenth of it is new: an SD card is the budget.
    static let keepPeriod = Interval.seconds(3600)
    /// What writing the past may take of a day's 5 MB: one at its limit is written every few hours.
    static let bytesPerSecond = 2e6 / 86_400
    /// Moments that have to be new for anything to be done about them.
    static let fewest = 200

    private(set) var past = Past()
    var surveys: [KeptSurveys.Entry] = []
    /// Surveys under way, by item.
    var ongoing: [String: OngoingSurvey] = [:]

    private(set) var learned: Learned?
    /// When it was learned.
    private(set) var learnedAt: WallTime?
    private(set) var isLearning = false

    private var lessons = 0
    private var nextLesson = Instant.zero
    private var takenAtLesson = 0
    private var takenAtKeep = 0
    private var nextKeep = Instant.zero
    /// Gateways or surveys are others than those that were learned from.
    private var isStale = false

    /// Notes how an item sounds.
    mutating func note(_ locator: Locator, of item: String, at now: Instant) {
        past.take(locator, of: item, at: now)
        ongoing[item]?.note(locator, at: now)
    }

    /// Begins with what was kept over a restart.
    mutating func restore(past: Past, surveys: [KeptSurveys.Entry]) {
        self.past = past
        self.surveys = surveys
        isStale = past.count > 0 || !surveys.isEmpty
    }

    /// Surveys came or went: what they teach is to be known at once.
    mutating func surveysChanged() {
        isStale = true
        if lessons == 0 { nextLesson = .zero }
    }

    /// Gateways or rooms have changed. What a gateway heard where it was before says nothing of where it is now.
    mutating func siteChanged(from old: Site, to new: Site) {
        for gateway in new.gateways {
            guard let before = old.gateways.first(where: { $0.id == gateway.id }), before.room != gateway.room,
                before.room != nil
            else { continue }
            past.forget(gateway: gateway.id)
            for index in surveys.indices { surveys[index].history.forget(gateway: gateway.id) }
        }
        isStale = isStale || past.count > 0 || !surveys.isEmpty
    }

    /// What is to be learned now, if it is time for that.
    mutating func lesson(site: Site, at now: Instant) -> Lesson? {
        guard !isLearning, !site.gateways.isEmpty else { return nil }
        let isGrown = past.taken - takenAtLesson >= max(Self.fewest, past.count / 10)
        guard now >= nextLesson, isStale || isGrown else { return nil }
        // A site that is still coming in is not asked after for every gateway.
        nextLesson = now + (isStale ? Self.shortPause : Self.pause)
        (isStale, isLearning) = (false, true)
        takenAtLesson = past.taken
        lessons += 1
        return Lesson(
            number: lessons, site: site, past: past.all,
            surveys: surveys.map { Survey(room: $0.room, history: $0.history) })
    }

    /// Takes what came of a lesson; whether anything is other than before.
    mutating func take(_ result: Learned?, of lesson: Lesson, at now: WallTime) -> Bool {
        guard lesson.number == lessons else { return false }
        isLearning = false
        learnedAt = now
        defer { learned = result }
        return result != learned
    }

    /// Forgets the past and what it taught; the surveys stay.
    mutating func forget() {
        past.forget()
        (takenAtLesson, takenAtKeep) = (0, 0)
        learned = nil
        learnedAt = nil
        isLearning = false
        lessons += 1
        isStale = !surveys.isEmpty
        nextLesson = .zero
    }

    /// Whether the past is to be written now.
    mutating func isPastToBeKept(at now: Instant) -> Bool {
        guard now >= nextKeep, past.taken - takenAtKeep >= max(Self.fewest, past.count / 10) else { return false }
        nextKeep = now + Self.keepPeriod
        return true
    }

    /// The past was written, in so many bytes.
    mutating func pastIsKept(bytes: Int, at now: Instant) {
        takenAtKeep = past.taken
        nextKeep = max(nextKeep, now + .seconds(Double(bytes) / Self.bytesPerSecond))
    }

    /// Whether something of the past is not on disk.
    var hasUnkeptPast: Bool { past.taken != takenAtKeep }
}
