import Beacons
import Locating
import Messages

/// Surveys: an item is carried around a room, and its signal there becomes the room's fingerprint.
extension SitePipeline {
    /// Seconds in which gateways have to receive the item. A shorter survey is not stored.
    static let leastSurvey = 5

    /// Responds to `survey/start`. A survey that is under way with the item starts again.
    mutating func startSurvey(_ request: Request) throws(Refused) -> SurveyResponse {
        let body: SurveyRequest
        do { body = try request.body() } catch { throw Refused("\(error)") }
        let item = try surveyed(body.item)
        guard items.surroundings.model.rooms.contains(body.room) else {
            let rooms =
                items.surroundings.model.rooms.isEmpty
                ? "none is known yet" : items.surroundings.model.rooms.joined(separator: ", ")
            throw Refused(
                "There is no room \"\(body.room)\" (\(rooms)): a room without a gateway needs a [[room]] in aggregator.toml."
            )
        }
        guard items[item.id]?.presence == .home else {
            throw Refused("No gateway receives \(item.name): carry the item with you, and switch on its beacon.")
        }
        let survey = OngoingSurvey(
            room: body.room, at: now, lasting: .seconds(Double(body.seconds)),
            gateways: items.surroundings.model.gateways)
        study.ongoing[item.id] = survey
        items.makeDue(item.id, at: effects.now.instant)
        return SurveyResponse(entry(of: survey, item: item.id).response)
    }

    /// Responds to `survey/stop`, also for a survey that has ended by itself.
    mutating func stopSurvey(_ request: Request) throws(Refused) -> SurveyResponse {
        let body: SurveyEnd
        do { body = try request.body() } catch { throw Refused("\(error)") }
        let item = try surveyed(body.item)
        guard body.isStored else { return try discardSurvey(item) }
        if let survey = study.ongoing.removeValue(forKey: item.id) {
            guard store(survey, item: item.id) else {
                throw Refused("The survey was discarded, as gateways hardly received \(item.name): try again.")
            }
        }
        guard let last = study.surveys.last(where: { $0.item == item.id }) else {
            throw Refused("No survey is made with \(item.name): begin one with survey/start.")
        }
        let surveys = study.surveys.map { Survey(room: $0.room, history: $0.history) }
        let alike = Likeness.judge(surveys, site: items.surroundings.model.site).map {
            SurveyResponse.Likeness(room: $0.room, other: $0.other, share: $0.share)
        }
        return SurveyResponse(last.response, alike: alike)
    }

    private mutating func discardSurvey(_ item: RegistryItem) throws(Refused) -> SurveyResponse {
        guard let survey = study.ongoing.removeValue(forKey: item.id) else {
            throw Refused("No survey is made with \(item.name).")
        }
        return SurveyResponse(entry(of: survey, item: item.id).response)
    }

    /// Responds to `survey/remove`: removes a survey by its number, or all surveys of a room.
    mutating func removeSurveys(_ request: Request) throws(Refused) -> LearningResponse {
        let named: NameOrID
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
            _ = store(survey, item: item)
        }
    }

    /// Stores a survey, unless the item was hardly received. If a room has too many surveys, the oldest one is removed.
    private mutating func store(_ survey: OngoingSurvey, item: String) -> Bool {
        guard survey.history.seconds >= Double(Self.leastSurvey) else { return false }
        let ofRoom = study.surveys.filter { $0.room == survey.room }
        if ofRoom.count >= StoredSurveys.mostOfRoom, let oldest = ofRoom.first {
            study.surveys.removeAll { $0.number == oldest.number }
        }
        if study.surveys.count >= StoredSurveys.most { study.surveys.removeFirst() }
        study.surveys.append(entry(of: survey, item: item))
        surveysChanged()
        return true
    }

    private mutating func surveysChanged() {
        study.surveysChanged()
        effects.add(.storeSurveys)
    }

    private func entry(of survey: OngoingSurvey, item: String) -> StoredSurveys.Entry {
        StoredSurveys.Entry(
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
