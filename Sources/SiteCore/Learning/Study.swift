import Beacons
import Locating
import Messages

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
    private(set) var learnedAt: WallTime?
    private(set) var isLearning = false

    private var lessons = 0
    private var nextLesson = Instant.zero
    private var addedAtLesson = 0
    private var addedAtStore = 0
    private var nextStore = Instant.zero
    /// The rooms that got other names since the last lesson began.
    private var renamedSinceLesson: [[String: String]] = []
    /// Whether gateways or surveys have changed since the last lesson.
    private var isStale = false

    /// Whether what gateways receive of an item is noted: a large site has more items than are learned from.
    func follows(_ item: String) -> Bool { past.follows(item) || ongoing[item] != nil }

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

    /// Gateways or rooms have changed. What was learned and surveyed of a room that has another name now stays. The past of a gateway that was
    /// carried elsewhere is dropped, and its values in surveys do not count before it is back.
    ///
    /// - Parameter former: the rooms of which `changes` are the changes.
    mutating func follow(_ changes: RoomChanges, formerly former: Site, _ effects: inout SiteEffects) {
        isStale = isStale || past.count > 0 || !surveys.isEmpty
        for gateway in changes.carried { past.forget(gateway: gateway) }
        if !changes.carried.isEmpty { effects.add(.storePast) }
        guard !changes.carried.isEmpty || !changes.renamed.isEmpty else { return }
        for index in surveys.indices { surveys[index].follow(changes.renamed, formerly: former) }
        if !surveys.isEmpty { effects.add(.storeSurveys) }
        for item in ongoing.keys { ongoing[item]?.rename(by: changes.renamed) }
        learned = learned?.renamed(by: changes.renamed)
        renamedSinceLesson.append(changes.renamed)
    }

    /// Has all data contain the receiver offsets of a model: who corrects a gateway need not survey again.
    mutating func follow(offsetsOf model: LocatorModel) {
        past.follow(offsetsOf: model)
        for index in surveys.indices { surveys[index].history.follow(offsetsOf: model) }
    }

    /// A gateway is gone for good. What surveys have of it stays: without the gateway it has no effect.
    mutating func forget(gateway: String, _ effects: inout SiteEffects) {
        guard past.count > 0 else { return }
        past.remove(gateway: gateway)
        effects.add(.storePast)
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
        renamedSinceLesson = []
        lessons += 1
        return Lesson(number: lessons, site: site, past: past.all, surveys: surveys.map { $0.survey(at: site) })
    }

    /// Adopts the result of a lesson; returns whether it differs from the former one.
    mutating func adopt(_ result: Learned?, of lesson: Lesson, at now: WallTime) -> Bool {
        guard lesson.number == lessons else { return false }
        isLearning = false
        learnedAt = now
        let result = renamedSinceLesson.reduce(result) { $0?.renamed(by: $1) }
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

    mutating func isPastToBeStored(at now: Instant) -> Bool {
        guard now >= nextStore, past.added - addedAtStore >= max(Self.fewest, past.count / 10) else { return false }
        nextStore = now + Self.storePeriod
        return true
    }

    mutating func pastIsStored(bytes: Int, at now: Instant) {
        addedAtStore = past.added
        nextStore = max(nextStore, now + .seconds(Double(bytes) / Self.bytesPerSecond))
    }

    /// Whether a part of the past is not on the disk.
    var hasUnstoredPast: Bool { past.added != addedAtStore }

    // MARK: Surveys

    /// Seconds in which gateways have to receive the item. A shorter survey is not stored.
    static let leastSurvey = 5

    /// Starts a survey. One that is under way with the item starts again.
    ///
    /// - Parameter isReceived: whether a gateway receives the item.
    mutating func startSurvey(
        _ body: SurveyRequest, with item: RegistryItem, isReceived: Bool, _ model: LocatorModel, at now: Moment
    ) throws(Refused) -> SurveyResponse {
        guard model.rooms.contains(body.room) else {
            let rooms = model.rooms.isEmpty ? "none is known yet" : model.rooms.joined(separator: ", ")
            let remedy =
                didYouMean(body.room, among: model.rooms)
                ?? "a room without a gateway needs a [[room]] in aggregator.toml."
            throw Refused("There is no room \"\(body.room)\" (\(rooms)): \(remedy)")
        }
        guard isReceived else {
            throw Refused("No gateway receives \(item.name): carry the item with you, and switch on its beacon.")
        }
        let survey = OngoingSurvey(
            room: body.room, at: now, lasting: .seconds(Double(body.seconds)), gateways: model.site.gateways)
        ongoing[item.id] = survey
        discarded.remove(item.id)
        return SurveyResponse(entry(of: survey, item: item.id).response())
    }

    /// Stops and stores a survey, also one that has ended by itself, and compares it with those of other rooms.
    mutating func stopSurvey(
        _ body: SurveyEnd, with item: RegistryItem, _ site: Site, _ effects: inout SiteEffects
    ) throws(Refused) -> SurveyResponse {
        try checkRoom(body, with: item)
        if let survey = ongoing.removeValue(forKey: item.id) { store(survey, item: item.id, &effects) }
        guard discarded.remove(item.id) == nil else {
            throw Refused("The survey was discarded, as gateways hardly received \(item.name): try again.")
        }
        guard let last = surveys.last(where: { $0.item == item.id }) else {
            throw Refused("No survey is made with \(item.name): begin one with survey/start.")
        }
        if let room = body.room, room != last.room { throw replaced(room, by: last.room, with: item) }
        let alike = Likeness.judge(surveys.map { $0.survey(at: site) }, site: site).map {
            SurveyResponse.Likeness(room: $0.room, other: $0.other, share: $0.share)
        }
        return SurveyResponse(last.response(site), alike: alike)
    }

    /// Stops a survey without storing it.
    mutating func discardSurvey(_ body: SurveyEnd, with item: RegistryItem) throws(Refused) -> SurveyResponse {
        try checkRoom(body, with: item)
        guard let survey = ongoing.removeValue(forKey: item.id) else {
            throw Refused("No survey is made with \(item.name).")
        }
        return SurveyResponse(entry(of: survey, item: item.id).response())
    }

    /// Throws if the survey that is meant was replaced by one of another room.
    private func checkRoom(_ body: SurveyEnd, with item: RegistryItem) throws(Refused) {
        if let room = body.room, let other = ongoing[item.id]?.room, room != other {
            throw replaced(room, by: other, with: item)
        }
    }

    private func replaced(_ room: String, by other: String, with item: RegistryItem) -> Refused {
        Refused("The survey of \(room) is not stored: one of \(other) was begun with \(item.name).")
    }

    /// Removes a survey by its number, or all surveys of a room.
    mutating func removeSurveys(named name: String, _ effects: inout SiteEffects) throws(Refused) {
        let left = surveys.filter { $0.room != name && "\($0.number)" != name }
        guard left.count < surveys.count else {
            let meant = didYouMean(name, among: surveys.map(\.room)).map { ": \($0)" } ?? "."
            throw Refused("There is no survey of a room, or with a number, \"\(name)\"\(meant)")
        }
        surveys = left
        surveysChanged(&effects)
    }

    /// Ends surveys whose time is over.
    mutating func endSurveys(_ effects: inout SiteEffects) {
        for (item, survey) in ongoing where survey.until < effects.now.instant {
            ongoing[item] = nil
            store(survey, item: item, &effects)
        }
    }

    /// Stores a survey, unless the item was hardly received. If a room has too many surveys, the oldest one is removed.
    private mutating func store(_ survey: OngoingSurvey, item: String, _ effects: inout SiteEffects) {
        guard survey.history.seconds >= Double(Self.leastSurvey) else {
            discarded.insert(item)
            return
        }
        let ofRoom = surveys.filter { $0.room == survey.room }
        if ofRoom.count >= StoredSurveys.mostOfRoom, let oldest = ofRoom.first {
            surveys.removeAll { $0.number == oldest.number }
        }
        if surveys.count >= StoredSurveys.most { surveys.removeFirst() }
        surveys.append(entry(of: survey, item: item))
        surveysChanged(&effects)
    }

    /// Surveys were added or removed: the next lesson starts soon.
    private mutating func surveysChanged(_ effects: inout SiteEffects) {
        isStale = true
        if lessons == 0 { nextLesson = .zero }
        effects.add(.storeSurveys)
    }

    private func entry(of survey: OngoingSurvey, item: String) -> StoredSurveys.Entry {
        StoredSurveys.Entry(
            number: (surveys.map(\.number).max() ?? 0) + 1, room: survey.room, item: item, at: survey.beganAt,
            gatewayRooms: survey.gatewayRooms, history: survey.history)
    }

    /// Decides what is due: surveys end, a lesson starts if there is enough new data, the past is stored.
    ///
    /// - Parameter isSettled: whether the present gateways are known.
    mutating func advance(_ site: Site, isSettled: Bool, _ effects: inout SiteEffects) {
        endSurveys(&effects)
        guard isSettled else { return }
        if let lesson = lesson(site: site, at: effects.now.instant) { effects.perform(.learn(lesson)) }
        if isPastToBeStored(at: effects.now.instant) { effects.add(.storePast) }
    }

    func response(_ model: LocatorModel, at now: WallTime) -> LearningResponse {
        let worth = learned.map { learned in
            LearningResponse.Worth(
                at: learnedAt ?? now, share: learned.share, agreement: learned.agreement,
                difference: learned.difference, lived: Int(learned.lived), surveyed: Int(learned.surveyed))
        }
        let rooms = (learned?.knowledge ?? []).map {
            LearningResponse.Room(
                room: $0.room, fingerprints: $0.fingerprints, lived: Int($0.lived.rounded()),
                surveyed: Int($0.surveyed.rounded()))
        }
        return LearningResponse(
            worth: worth, isLearning: isLearning, rooms: rooms, stored: past.count,
            surveys: surveys.map { $0.response(model.site) }, knownRooms: model.rooms)
    }
}

/// What is to be learned from, put together: learning takes seconds, and is done beside everything else.
package struct Lesson: Sendable {
    /// Counts the lessons: one that was overtaken meanwhile teaches nothing.
    let number: Int
    let site: Site
    let past: [RSSIHistory]
    let surveys: [Survey]

    /// What there is to learn, judged on the past; `nil` where that is too little, or contradicts itself.
    package func learn() -> Learned? { Learned.learn(site: site, from: past, surveys: surveys) }
}
