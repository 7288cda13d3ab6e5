import Beacons
import Broker
import Journal
import Messages

/// The answers to what anybody may ask of the aggregator.
extension SitePipeline {
    mutating func answer(_ what: String, _ payload: [UInt8]) {
        let request = Request(parsing: payload)
        do throws(Refused) {
            switch what {
            case "items/add": reply(what, request, .done(try add(request)))
            case "items/remove": reply(what, request, .done(try remove(request)))
            case "gateways/remove": reply(what, request, .done(try removeGateway(request)))
            case "events" where !log.isInMemory(request): outputs.append(.answerEvents(request))
            case "events": answerEvents(request) { _, _ in [] }
            default:
                throw Refused(
                    "The aggregator does not answer \"\(what)\": ask items/add, items/remove, gateways/remove or events."
                )
            }
        } catch {
            reply(what, request, Response<Nothing>.Outcome.failed(error.sentence))
        }
    }

    /// Answers with events; `read` gives those that only the disk has.
    package mutating func answerEvents(_ request: Request, read: (EventSpan, Catalogue) -> [Entry]) {
        let origin = now.isSynchronised ? now.wall(at: startedAt) : nil
        reply("events", request, log.answer(request, origin: origin, read: read))
    }

    private mutating func reply<Answer: Body>(
        _ what: String, _ request: Request, _ outcome: Response<Answer>.Outcome
    ) {
        publish(.aggregatorResponse(what: what), Response(outcome, transaction: request.transaction))
    }

    private mutating func add(_ request: Request) throws(Refused) -> ItemAnswer {
        let wanted: WantedItem
        do { wanted = try request.body() } catch { throw Refused("\(error)") }
        let item = try registry.add(wanted)
        publish(.registryItem(item.id), item)
        registryChanged()
        sayIfDue(item.id)
        return ItemAnswer(item: item)
    }

    private mutating func remove(_ request: Request) throws(Refused) -> ItemAnswer {
        let named: NamedThing
        do { named = try request.body() } catch { throw Refused("\(error)") }
        guard let item = registry.item(named: named.name) else {
            throw Refused("There is no item \"\(named.name)\".")
        }
        try registry.remove(item: item.id)
        publish(.clearing(.registryItem(item.id)))
        publish(.clearing(.itemLocation(item: item.id)))
        publish(.clearing(.itemNotification(item: item.id)))
        registryChanged()
        return ItemAnswer(item: item)
    }

    /// Forgets a gateway that is gone for good, and clears what the broker keeps of it.
    private mutating func removeGateway(_ request: Request) throws(Refused) -> Nothing {
        let named: NamedThing
        do { named = try request.body() } catch { throw Refused("\(error)") }
        guard let gateway = gateways[named.name] else { throw Refused("There is no gateway \"\(named.name)\".") }
        guard !gateway.isAlive(at: now.instant) else {
            throw Refused("\(gateway.id) is alive: stop it first, or it comes back at once.")
        }
        gateways[gateway.id] = nil
        publish(.clearing(.gatewayAvailability(gateway: gateway.id)))
        publish(.clearing(.gatewayInfo(gateway: gateway.id)))
        for topic in gateway.kept { publish(.clearing(topic)) }
        for id in items.keys {
            items[id]?.stay.forget(gateway.id)
            items[id]?.lost(gateway.id)
            judge(id)
        }
        roomsChanged()
        publishInfo()
        return Nothing()
    }
}
