import Beacons
import Locating
import Messages

/// Surveys: an item is carried around a room, and its signal there becomes the room's fingerprint.
extension Study {
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
            throw Refused(
                "There is no room \"\(body.room)\" (\(rooms)): a room without a gateway needs a [[room]] in aggregator.toml."
            )
        }
        guard isReceived else {
            throw Refused("No gateway receives \(item.name): carry the item with you, and switch on its beacon.")
        }
        let survey = OngoingSurvey(
            room: body.room, at: now, lasting: .seconds(Double(body.seconds)), gateways: model.gateways)
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
        let alike = Likeness.judge(surveys.map { Survey(room: $0.room, history: $0.history) }, site: site).map {
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
            throw Refused("There is no survey of a room, or with a number, \"\(name)\".")
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

    private mutating func surveysChanged(_ effects: inout SiteEffects) {
        surveysChanged()
        effects.add(.storeSurveys)
    }

    private func entry(of survey: OngoingSurvey, item: String) -> StoredSurveys.Entry {
        StoredSurveys.Entry(
            number: (surveys.map(\.number).max() ?? 0) + 1, room: survey.room, item: item, at: survey.beganAt,
            history: survey.history)
    }
}

extension Study {
    /// Decides what is due: surveys end, a lesson starts if there is enough new data, the past is stored.
    ///
    /// - Parameter isSettled: whether the present gateways are known.
    mutating func advance(_ site: Site, isSettled: Bool, _ effects: inout SiteEffects) {
        endSurveys(&effects)
        guard isSettled else { return }
        if let lesson = lesson(site: site, at: effects.now.instant) { effects.add(.learn(lesson)) }
        if isPastToBeStored(at: effects.now.instant) { effects.add(.storePast) }
    }

    /// What was learned, and from how much: the response to `learning`.
    func response(_ site: Site, at now: WallTime) -> LearningResponse {
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
            surveys: surveys.map { $0.response(site) })
    }
}
