import Beacons
import Delivery
import Journal
import Messages

/// The answers to what anybody may ask of the aggregator.
extension SitePipeline {
    mutating func answer(_ what: String, _ payload: [UInt8]) {
        let request = Request(parsing: payload)
        if areRoomsStale { roomsChanged() }
        do throws(Refused) {
            switch what {
            case "alive": reply(what, request, .done(Nothing()))
            case "items/add": reply(what, request, .done(try add(request)))
            case "items/import": reply(what, request, .done(try importItems(request)))
            case "items/remove": reply(what, request, .done(try remove(request)))
            case "items/rename": reply(what, request, .done(try rename(request)))
            case "items/edit": reply(what, request, .done(try edit(request)))
            case "items/acknowledge": reply(what, request, .done(try acknowledge(request)))
            case "regions/add": reply(what, request, .done(try addRegion(request)))
            case "regions/remove": reply(what, request, .done(try removeRegion(request)))
            case "gateways/remove": reply(what, request, .done(try removeGateway(request)))
            case "survey/start": reply(what, request, .done(try startSurvey(request)))
            case "survey/stop": reply(what, request, .done(try stopSurvey(request)))
            case "survey/remove": reply(what, request, .done(try removeSurveys(request)))
            case "learning": reply(what, request, .done(learning()))
            case "learning/forget": reply(what, request, .done(forgetLearned()))
            case "history": try answerHistory(request)
            // The page's connection, which has the history, responds.
            case "stays" where configuration.history.isEnabled: break
            case "stays": throw Refused("The history is off: set enabled = true in [history].")
            case "events" where !log.isInMemory(request): try logReading.add(.events(request))
            case "events": answerEvents(request) { _, _ in [] }
            default:
                throw Refused(
                    "The aggregator does not answer \"\(what)\": the contract's requests are what it answers.")
            }
        } catch {
            reply(what, request, Response<Nothing>.Outcome.failed(error.sentence))
        }
    }

    /// Answers with events; `read` gives those that only the disk has.
    mutating func answerEvents(_ request: Request, read: (EventSpan, Catalogue) -> [Entry]?) {
        reply("events", request, log.answer(request, origin: origin, read: read))
    }

    /// When this boot began, where the clock that says so is right.
    var origin: WallTime? { now.isSynchronised ? now.wall(at: startedAt) : nil }

    mutating func reply<Answer: Body>(
        _ what: String, _ request: Request, _ outcome: Response<Answer>.Outcome
    ) {
        publish(.aggregatorResponse(what: what), Response(outcome, transaction: request.transaction))
    }

    private mutating func add(_ request: Request) throws(Refused) -> ItemAnswer {
        let item = try registry.add(try request.asked(WantedItem.self))
        publish(entry: .registryItem(item.id), item)
        registryChanged(items: [item.id])
        sayIfDue(item.id)
        return ItemAnswer(item: item)
    }

    /// Adds many items in one change: one revision, one manifest, one write to the disk.
    private mutating func importItems(_ request: Request) throws(Refused) -> ImportAnswer {
        let wanted = try request.asked(ImportedItems.self).items
        var answer = ImportAnswer(added: 0, refused: [])
        let added = registry.add(wanted) { answer.refused.append(.init(index: $0, error: $1)) }
        answer.added = added.count
        guard !added.isEmpty else { return answer }
        for item in added { publish(entry: .registryItem(item.id), item) }
        registryChanged(items: added.map(\.id))
        for item in added { sayIfDue(item.id) }
        return answer
    }

    private mutating func rename(_ request: Request) throws(Refused) -> ItemAnswer {
        let wanted = try request.asked(RenamedItem.self)
        let item = try registry.rename(item: try item(wanted.item).id, to: wanted.newName)
        publish(entry: .registryItem(item.id), item)
        registryChanged(items: [item.id])
        sayIfDue(item.id)
        return ItemAnswer(item: item)
    }

    private mutating func edit(_ request: Request) throws(Refused) -> ItemAnswer {
        let wanted = try request.asked(EditedItem.self)
        let item = try registry.edit(item: try item(wanted.item).id, wanted)
        publish(entry: .registryItem(item.id), item)
        registryChanged(items: [item.id])
        return ItemAnswer(item: item)
    }

    private mutating func remove(_ request: Request) throws(Refused) -> ItemAnswer {
        let item = try item(try request.asked(NamedThing.self))
        try registry.remove(item: item.id)
        matchItem(item.id)
        // First the device, then what its entities read.
        for message in announcements.takeBack(item: item.id, at: now.instant) {
            outputs.append(.publishElsewhere(message))
        }
        publish(entry: .registryItem(item.id), RegistryItem?.none)
        publish(.clearing(.itemLocation(item: item.id)))
        publish(.clearing(.itemNotification(item: item.id)))
        registryChanged(items: [item.id])
        return ItemAnswer(item: item)
    }

    private mutating func addRegion(_ request: Request) throws(Refused) -> RegionAnswer {
        let region = try registry.add(try request.asked(WantedRegion.self))
        publish(entry: .registryRegion(region.id), region)
        registryChanged(regions: [region.id])
        return RegionAnswer(region: region)
    }

    private mutating func removeRegion(_ request: Request) throws(Refused) -> RegionAnswer {
        let named = try request.asked(NamedThing.self)
        guard let region = registry.region(named: named.name) else {
            throw Refused("There is no region \"\(named.name)\".")
        }
        try registry.remove(region: region.id)
        publish(entry: .registryRegion(region.id), RegistryRegion?.none)
        registryChanged(regions: [region.id])
        return RegionAnswer(region: region)
    }

    /// The item that a request names.
    func item(_ named: NamedThing) throws(Refused) -> RegistryItem {
        guard let item = registry.item(named: named.name) else { throw Refused("There is no item \"\(named.name)\".") }
        return item
    }

    /// Forgets a gateway that is gone for good, and clears what the broker keeps of it.
    private mutating func removeGateway(_ request: Request) throws(Refused) -> Nothing {
        let named = try request.asked(NamedThing.self)
        guard let gateway = gateways[named.name] else { throw Refused("There is no gateway \"\(named.name)\".") }
        guard !gateway.isAlive(at: now.instant) else {
            throw Refused("\(gateway.id) is alive: stop it first, or it comes back at once.")
        }
        let items = takeItems(of: gateway.id)
        gateways[gateway.id] = nil
        // Who is still too many publishes again, and is a problem again.
        ignoresGateways = false
        surroundings.forget(gateway.id)
        mutual.forget(gateway.id)
        announcements.removed(gateway: gateway.id)
        publish(.clearing(.gatewayAvailability(gateway: gateway.id)))
        publish(.clearing(.gatewayInfo(gateway: gateway.id)))
        for topic in gateway.kept { publish(.clearing(topic)) }
        for id in items {
            self.items[id]?.stay.forget(gateway.id)
            self.items[id]?.lost(gateway.id)
            judge(id)
            deadlines.set(id, at: now.instant)
            unwritten.states.insert(id)
        }
        unwritten.gateways.insert(gateway.id)
        outputs.append(.keep)
        roomsChanged()
        publishInfo()
        return Nothing()
    }
}

extension Request {
    /// What it asks with; what is wrong with it is the answer.
    func asked<Asked: Body>(_: Asked.Type) throws(Refused) -> Asked {
        do { return try body() } catch { throw Refused("\(error)") }
    }
}
