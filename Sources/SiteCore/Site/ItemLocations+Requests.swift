import Beacons
import Messages

/// Messages about items and rooms, and responses to requests about items and what was learned from them.
extension ItemLocations {
    /// Receives a message on the topics of items and rooms. Other topics are ignored.
    mutating func receive(
        _ topic: Topic, _ payload: [UInt8], isRetained: Bool, _ registry: SiteRegistry, _ effects: inout SiteEffects
    ) {
        switch topic {
        // What an item does not have is cleared, if another program or a former process has published it.
        case .itemLocation(let id) where registry.items[id] == nil, .itemHealth(let id) where registry.items[id] == nil,
            .itemNotification(let id) where table[id]?.retainedNotification == nil:
            if !payload.isEmpty { effects.publish(.clearing(topic)) }
        // A single aggregator's own locations come back to it, but not before it publishes any.
        case .itemLocation(let id) where !isSettled(at: effects.now.instant):
            adoptLastSeen(published: payload, of: id, effects)
        case .itemLocation(let id): if !isRetained { noteReplacement(published: payload, of: id, effects) }
        case .itemHealth(let id): adopt(health: payload, of: id, topic, &effects)
        case .itemAcknowledge(let id):
            guard !isRetained else { return effects.refuse("retained_request") }
            // Without a kind, any payload is about the notification that the topic has.
            let word = Request(parsing: payload).arguments["kind"]?.string
            let kind = word.flatMap(Notification.Kind.init)
            if word != nil, kind == nil { return effects.refuse("notification_kind") }
            acknowledge(id, only: kind, &effects)
        case .roomOccupancy(let room) where followsSensors:
            // What the broker stored is of any age: retained, or sent while this aggregator was not connected.
            let isLive = !isRetained && isSettled(at: effects.now.instant)
            surroundings.receive(occupancy: payload, of: room, isLive: isLive, &effects)
        default: break
        }
    }

    /// Continues with the health that a former process, or another aggregator, has published.
    mutating func adopt(health payload: [UInt8], of id: String, _ topic: Topic, _ effects: inout SiteEffects) {
        guard let place = table.place(of: id) else { return }
        if payload.isEmpty, let published = table[place].health?.published {
            // Another program has cleared it.
            return effects.publish(topic, published)
        }
        guard let health = try? ItemHealth(parsing: payload, on: topic), health.stamp.boot != effects.boot else {
            return
        }
        // What a predecessor has published comes back when this aggregator publishes it again.
        if let known = table[place].health?.published, health.stamp.at <= known.stamp.at { return }
        guard hasNewTag.remove(id) == nil else { return effects.publish(.clearing(topic)) }
        table[place].follow(health, &effects)
        let day = ReceptionMeter.day(of: health.stamp.at, id)
        if let meter = ReceptionMeter(health.reception, day: day) { table[place].health?.meter = meter }
    }

    /// Forgets the health of a tag that the item no longer has.
    func clearHealth(of id: String, _ effects: inout SiteEffects) {
        guard table[id]?.health?.published != nil else { return }
        effects.publish(.clearing(.itemHealth(item: id)))
        effects.devices.append(.battery(item: id, nil))
    }

    /// Responds to a request; returns whether the request is one about items.
    mutating func respond(
        to what: String, _ request: Request, _ registry: SiteRegistry, _ effects: inout SiteEffects
    ) throws(Refused) -> Bool {
        switch SiteRequest(rawValue: what) {
        case .acknowledgeItem:
            let item = try registry.item(try request.asked(NameOrID.self))
            guard acknowledge(item.id, &effects) else {
                throw Refused("There is nothing to acknowledge of \(item.name).")
            }
            effects.reply(what, request, .done(ItemResponse(item)))
        case .startSurvey: effects.reply(what, request, .done(try startSurvey(request, registry, at: effects.now)))
        case .stopSurvey: effects.reply(what, request, .done(try stopSurvey(request, registry, &effects)))
        case .removeSurvey:
            try study.removeSurveys(named: try request.asked(NameOrID.self).name, &effects)
            effects.reply(what, request, .done(study.response(surroundings.model, at: effects.now.wall)))
        case .learning:
            effects.reply(what, request, .done(study.response(surroundings.model, at: effects.now.wall)))
        case .forgetLearning:
            // Whoever names a room does not want all of them forgotten.
            _ = try request.asked(Nothing.self)
            forgetLearned(&effects)
            effects.reply(what, request, .done(study.response(surroundings.model, at: effects.now.wall)))
        case .history:
            let asked = try request.asked(HistoryRequest.self)
            let item = if let named = asked.item { try registry.item(named).id } else { String?.none }
            try events.respondWithHistory(asked, ofItem: item, request, &effects)
        case .events: try events.respondWithEvents(request, &effects)
        default: return false
        }
        return true
    }

    private mutating func startSurvey(
        _ request: Request, _ registry: SiteRegistry, at now: Moment
    ) throws(Refused) -> SurveyResponse {
        let body = try request.asked(SurveyRequest.self)
        let item = try surveyed(body.item, registry)
        let response = try study.startSurvey(
            body, with: item, isReceived: table[item.id]?.presence == .home, surroundings.model, at: now)
        deadlines.set(item.id, at: now.instant)
        return response
    }

    private mutating func stopSurvey(
        _ request: Request, _ registry: SiteRegistry, _ effects: inout SiteEffects
    ) throws(Refused) -> SurveyResponse {
        let body = try request.asked(SurveyEnd.self)
        let item = try surveyed(body.item, registry)
        guard body.isStored else { return try study.discardSurvey(body, with: item) }
        return try study.stopSurvey(body, with: item, surroundings.model.site, &effects)
    }

    private func surveyed(_ word: String, _ registry: SiteRegistry) throws(Refused) -> RegistryItem {
        guard let item = registry.item(named: word), table[item.id]?.error == nil else {
            throw registry.unknown(item: word)
        }
        return item
    }
}
