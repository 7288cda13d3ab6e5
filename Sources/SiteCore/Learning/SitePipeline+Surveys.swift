import Beacons
import Locating
import Messages

/// Surveys: an item is carried around a room, and its signal there becomes the room's fingerprint.
extension SitePipeline {
    /// Seconds in which gateways have to receive the item. A shorter survey is not stored.
    static let leastSurvey = 5

    /// Responds to `survey/start`. A survey that is under way with the item starts again.
    mutating func startSurvey(_ request: Request) throws(Refused) -> SurveyAnswer {
        let wish: SurveyRequest
        do { wish = try request.body() } catch { throw Refused("\(error)") }
        let item = try surveyed(wish.item)
        guard items.surroundings.model.rooms.contains(wish.room) else {
            let rooms =
                items.surroundings.model.rooms.isEmpty
                ? "none is known yet" : items.surroundings.model.rooms.joined(separator: ", ")
            throw Refused(
                "There is no room \"\(wish.room)\" (\(rooms)): a room without a gateway needs a [[room]] in aggregator.toml."
            )
        }
        guard items[item.id]?.presence == .home else {
            throw Refused("\(item.name) is not heard by any gateway: have it with you, and its beacon on.")
        }
        let survey = OngoingSurvey(
            room: wish.room, at: now, lasting: .seconds(Double(wish.seconds)),
            gateways: items.surroundings.model.gateways)
        study.ongoing[item.id] = survey
        items.makeDue(item.id, at: effects.now.instant)
        return SurveyAnswer(entry(of: survey, item: item.id).answer)
    }

    /// Responds to `survey/stop`, also for a survey that has ended by itself.
    mutating func stopSurvey(_ request: Request) throws(Refused) -> SurveyAnswer {
        let wish: SurveyEnd
        do { wish = try request.body() } catch { throw Refused("\(error)") }
        let item = try surveyed(wish.item)
        guard wish.isKept else { return try discardSurvey(item) }
        if let survey = study.ongoing.removeValue(forKey: item.id) {
            guard keep(survey, item: item.id) else {
                throw Refused("\(item.name) was hardly heard during the survey, so it is not kept: try again.")
            }
        }
        guard let last = study.surveys.last(where: { $0.item == item.id }) else {
            throw Refused("No survey is made with \(item.name): begin one with survey/start.")
        }
        let surveys = study.surveys.map { Survey(room: $0.room, history: $0.history) }
        let alike = Likeness.judge(surveys, site: items.surroundings.model.site).map {
            SurveyAnswer.Likeness(room: $0.room, other: $0.other, share: $0.share)
        }
        return SurveyAnswer(last.answer, alike: alike)
    }

    private mutating func discardSurvey(_ item: RegistryItem) throws(Refused) -> SurveyAnswer {
        guard let survey = study.ongoing.removeValue(forKey: item.id) else {
            throw Refused("No survey is made with \(item.name).")
        }
        return SurveyAnswer(entry(of: survey, item: item.id).answer)
    }

    /// Responds to `survey/remove`: removes a survey by its number, or all surveys of a room.
    mutating func removeSurveys(_ request: Request) throws(Refused) -> LearningAnswer {
        let named: NamedThing
        do { named = try request.body() } catch { throw Refused("\(error)") }
        let left = study.surveys.filter { $0.room != named.name && "\($0.number)" != named.name }
        guard left.count < study.surveys.count else {
            throw Refused("There is no survey of a room, or with a number, \"\(named.name)\".")
        }
        study.surveys = left
        surveysChanged()
        return learning()
    }

    /// Ends surveys whose time is over.
    mutating func endSurveys() {
        for (item, survey) in study.ongoing where survey.until < effects.now.instant {
            study.ongoing[item] = nil
            _ = keep(survey, item: item)
        }
    }

    /// Stores a survey, unless the item was hardly received. If a room has too many surveys, the oldest one is removed.
    private mutating func keep(_ survey: OngoingSurvey, item: String) -> Bool {
        guard survey.history.seconds >= Double(Self.leastSurvey) else { return false }
        let ofRoom = study.surveys.filter { $0.room == survey.room }
        if ofRoom.count >= KeptSurveys.mostOfRoom, let oldest = ofRoom.first {
            study.surveys.removeAll { $0.number == oldest.number }
        }
        if study.surveys.count >= KeptSurveys.most { study.surveys.removeFirst() }
        study.surveys.append(entry(of: survey, item: item))
        surveysChanged()
        return true
    }

    private mutating func surveysChanged() {
        study.surveysChanged()
        effects.add(.keepSurveys)
    }

    private func entry(of survey: OngoingSurvey, item: String) -> KeptSurveys.Entry {
        KeptSurveys.Entry(
            number: (study.surveys.map(\.number).max() ?? 0) + 1, room: survey.room, item: item, at: survey.beganAt,
            history: survey.history)
    }

    private func surveyed(_ word: String) throws(Refused) -> RegistryItem {
        guard let item = registry.item(named: word), items[item.id]?.error == nil else {
            throw Refused("There is no item \"\(word)\".")
        }
        return item
    }
}
