import Beacons
import Messages

/// Responses to requests.
extension SitePipeline {
    mutating func respond(_ what: String, _ payload: [UInt8]) {
        let request = Request(parsing: payload)
        if gateways.isModelStale { roomsChanged() }
        do throws(Refused) {
            if let change = try registry.change(by: what, request) {
                follow(change)
                return effects.reply(what, request, change)
            }
            switch what {
            case "alive": effects.reply(what, request, .done(Nothing()))
            case "items/acknowledge":
                let item = try registry.item(try request.asked(NameOrID.self))
                guard items.acknowledge(item.id, &effects) else {
                    throw Refused("Of \(item.name) there is nothing to acknowledge.")
                }
                effects.reply(what, request, .done(ItemResponse(item: item)))
            case "gateways/remove":
                let named = try request.asked(NameOrID.self)
                guard let gateway = gateways[named.name] else {
                    throw Refused("There is no gateway \"\(named.name)\".")
                }
                guard !gateway.isAlive(at: effects.now.instant) else {
                    throw Refused("\(gateway.id) is alive: stop it first, or it comes back at once.")
                }
                forget(gateway: gateway.id, clearing: true)
                effects.reply(what, request, .done(Nothing()))
            case "survey/start": effects.reply(what, request, .done(try startSurvey(request)))
            case "survey/stop": effects.reply(what, request, .done(try stopSurvey(request)))
            case "survey/remove":
                try items.study.removeSurveys(named: try request.asked(NameOrID.self).name, &effects)
                effects.reply(what, request, .done(study.response(at: effects.now.wall)))
            case "learning": effects.reply(what, request, .done(study.response(at: effects.now.wall)))
            case "learning/forget":
                items.forgetLearned(&effects)
                effects.reply(what, request, .done(study.response(at: effects.now.wall)))
            case "history":
                let asked = try request.asked(HistoryRequest.self)
                let item = if let named = asked.item { try registry.item(named).id } else { String?.none }
                try items.events.respondWithHistory(asked, ofItem: item, request, &effects)
            // The page's connection, which has the history, responds.
            case "stays" where configuration.history.isEnabled: break
            case "stays": throw Refused("The history is off: set enabled = true in [history].")
            case "events": try items.events.respondWithEvents(request, &effects)
            default:
                throw Refused(
                    "The aggregator does not respond to \"\(what)\": the page Topics of the reference lists its requests."
                )
            }
        } catch {
            effects.reply(what, request, Response<Nothing>.Outcome.failed(error.sentence))
        }
    }

    private mutating func startSurvey(_ request: Request) throws(Refused) -> SurveyResponse {
        let body = try request.asked(SurveyRequest.self)
        let item = try surveyed(body.item)
        let response = try items.study.startSurvey(
            body, with: item, isReceived: items[item.id]?.presence == .home, items.surroundings.model, at: now)
        items.makeDue(item.id, at: effects.now.instant)
        return response
    }

    private mutating func stopSurvey(_ request: Request) throws(Refused) -> SurveyResponse {
        let body = try request.asked(SurveyEnd.self)
        let item = try surveyed(body.item)
        guard body.isStored else { return try items.study.discardSurvey(with: item) }
        return try items.study.stopSurvey(with: item, items.surroundings.model.site, &effects)
    }

    /// The item with which a survey is made.
    private func surveyed(_ word: String) throws(Refused) -> RegistryItem {
        guard let item = registry.item(named: word), items[item.id]?.error == nil else {
            throw Refused("There is no item \"\(word)\".")
        }
        return item
    }
}
