import Beacons
import Locating

/// The data that the aggregator learns from (the unlabelled past and the surveys), and what it has learned.
struct Study: Sendable {
    /// The shortest time between two lessons.
    static let pause = Interval.seconds(600)
    /// The shortest time between two lessons if gateways or surveys have changed.
    static let shortPause = Interval.seconds(5)
    /// The past is written at most this often, and only if a tenth of it is new, to spare the SD card.
    static let storePeriod = Interval.seconds(3600)
    /// The share of the 5 MB a day that writing the past may take. A past at its limit is written every few hours.
    static let bytesPerSecond = 2e6 / 86_400
    /// The fewest new moments for a lesson or a write.
    static let fewest = 200

    private(set) var past = TrainingHistory()
    var surveys: [StoredSurveys.Entry] = []
    /// Surveys under way, by item.
    var ongoing: [String: OngoingSurvey] = [:]
    /// The items whose last survey ended by itself or by request, and was not stored.
    var discarded: Set<String> = []

    private(set) var learned: Learned?
    /// When `learned` was learned.
    private(set) var learnedAt: WallTime?
    private(set) var isLearning = false

    private var lessons = 0
    private var nextLesson = Instant.zero
    private var addedAtLesson = 0
    private var addedAtStore = 0
    private var nextStore = Instant.zero
    /// Whether gateways or surveys have changed since the last lesson.
    private var isStale = false

    /// Whether what gateways receive of an item is noted: a large site has more items than are learned from.
    func follows(_ item: String) -> Bool { past.follows(item) || ongoing[item] != nil }

    /// Notes the RSSI of an item at all gateways.
    mutating func note(_ locator: Locator, of item: String, at now: Instant) {
        past.add(locator, of: item, at: now)
        ongoing[item]?.note(locator, at: now)
    }

    /// Continues with the data that a former process stored.
    mutating func restore(past: TrainingHistory, surveys: [StoredSurveys.Entry]) {
        self.past = past
        self.surveys = surveys
        isStale = past.count > 0 || !surveys.isEmpty
    }

    /// Surveys were added or removed: the next lesson starts soon.
    mutating func surveysChanged() {
        isStale = true
        if lessons == 0 { nextLesson = .zero }
    }

    /// Gateways or rooms have changed. The data of a gateway that was moved to another room is dropped.
    mutating func siteChanged(from old: Site, to new: Site, _ effects: inout SiteEffects) {
        for gateway in new.gateways {
            guard let before = old.gateways.first(where: { $0.id == gateway.id }), before.room != gateway.room,
                before.room != nil
            else { continue }
            past.forget(gateway: gateway.id)
            for index in surveys.indices { surveys[index].history.forget(gateway: gateway.id) }
            effects.add(.storePast)
            effects.add(.storeSurveys)
        }
        isStale = isStale || past.count > 0 || !surveys.isEmpty
    }

    /// The next lesson, if one is due.
    mutating func lesson(site: Site, at now: Instant) -> Lesson? {
        guard !isLearning, !site.gateways.isEmpty else { return nil }
        let isGrown = past.added - addedAtLesson >= max(Self.fewest, past.count / 10)
        guard now >= nextLesson, isStale || isGrown else { return nil }
        // While the gateways of a site connect one by one, not each of them starts a lesson.
        nextLesson = now + (isStale ? Self.shortPause : Self.pause)
        (isStale, isLearning) = (false, true)
        addedAtLesson = past.added
        lessons += 1
        return Lesson(
            number: lessons, site: site, past: past.all,
            surveys: surveys.map { Survey(room: $0.room, history: $0.history) })
    }

    /// Adopts the result of a lesson; returns whether it differs from the former one.
    mutating func adopt(_ result: Learned?, of lesson: Lesson, at now: WallTime) -> Bool {
        guard lesson.number == lessons else { return false }
        isLearning = false
        learnedAt = now
        defer { learned = result }
        return result != learned
    }

    /// Forgets the past and what was learned from it. The surveys stay.
    mutating func forget() {
        past.forget()
        (addedAtLesson, addedAtStore) = (0, 0)
        learned = nil
        learnedAt = nil
        isLearning = false
        lessons += 1
        isStale = !surveys.isEmpty
        nextLesson = .zero
    }

    /// Whether the past has to be written now.
    mutating func isPastToBeStored(at now: Instant) -> Bool {
        guard now >= nextStore, past.added - addedAtStore >= max(Self.fewest, past.count / 10) else { return false }
        nextStore = now + Self.storePeriod
        return true
    }

    /// The past was written to the disk.
    mutating func pastIsStored(bytes: Int, at now: Instant) {
        addedAtStore = past.added
        nextStore = max(nextStore, now + .seconds(Double(bytes) / Self.bytesPerSecond))
    }

    /// Whether a part of the past is not on the disk.
    var hasUnstoredPast: Bool { past.added != addedAtStore }
}
