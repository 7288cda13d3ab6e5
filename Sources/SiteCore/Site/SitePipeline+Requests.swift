import Beacons
import Delivery
import EventLogs
import Messages

/// Responses to requests.
extension SitePipeline {
    mutating func respond(_ what: String, _ payload: [UInt8]) {
        let request = Request(parsing: payload)
        if areRoomsStale { roomsChanged() }
        do throws(Refused) {
            switch what {
            case "alive": effects.reply(what, request, .done(Nothing()))
            case "items/add": effects.reply(what, request, .done(try add(request)))
            case "items/import": effects.reply(what, request, .done(try importItems(request)))
            case "items/remove": effects.reply(what, request, .done(try remove(request)))
            case "items/rename": effects.reply(what, request, .done(try rename(request)))
            case "items/edit": effects.reply(what, request, .done(try edit(request)))
            case "items/acknowledge": effects.reply(what, request, .done(try acknowledge(request)))
            case "regions/add": effects.reply(what, request, .done(try addRegion(request)))
            case "regions/remove": effects.reply(what, request, .done(try removeRegion(request)))
            case "gateways/remove": effects.reply(what, request, .done(try removeGateway(request)))
            case "survey/start": effects.reply(what, request, .done(try startSurvey(request)))
            case "survey/stop": effects.reply(what, request, .done(try stopSurvey(request)))
            case "survey/remove": effects.reply(what, request, .done(try removeSurveys(request)))
            case "learning": effects.reply(what, request, .done(learning()))
            case "learning/forget": effects.reply(what, request, .done(forgetLearned()))
            case "history":
                let asked = try request.asked(HistoryRequest.self)
                let item = if let named = asked.item { try self.item(named).id } else { String?.none }
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

    private mutating func add(_ request: Request) throws(Refused) -> ItemResponse {
        let item = try registry.add(try request.asked(NewItem.self))
        registryChanged(items: [item.id])
        items.publishIfDue(item.id, &effects)
        return ItemResponse(item: item)
    }

    /// Adds many items in one change: one revision, one manifest, one write to the disk.
    private mutating func importItems(_ request: Request) throws(Refused) -> ImportResponse {
        let requested = try request.asked(ImportedItems.self).items
        var response = ImportResponse(added: 0, refused: [])
        let added = registry.add(requested) { response.refused.append(.init(index: $0, error: $1)) }
        response.added = added.count
        guard !added.isEmpty else { return response }
        registryChanged(items: added.map(\.id))
        for item in added { items.publishIfDue(item.id, &effects) }
        return response
    }

    private mutating func rename(_ request: Request) throws(Refused) -> ItemResponse {
        let requested = try request.asked(RenamedItem.self)
        let item = try registry.rename(item: try item(requested.item).id, to: requested.newName)
        registryChanged(items: [item.id])
        items.publishIfDue(item.id, &effects)
        return ItemResponse(item: item)
    }

    private mutating func edit(_ request: Request) throws(Refused) -> ItemResponse {
        let requested = try request.asked(EditedItem.self)
        let item = try registry.edit(item: try item(requested.item).id, requested)
        registryChanged(items: [item.id])
        return ItemResponse(item: item)
    }

    private mutating func remove(_ request: Request) throws(Refused) -> ItemResponse {
        let item = try item(try request.asked(NameOrID.self))
        try registry.remove(item: item.id)
        items.match(item.id, registry, at: effects.now.instant)
        // First the device, then what its entities read.
        for message in announcements.takeBack(item: item.id, at: effects.now.instant) {
            effects.add(.publishElsewhere(message))
        }
        effects.publish(.clearing(.itemLocation(item: item.id)))
        effects.publish(.clearing(.itemNotification(item: item.id)))
        registryChanged(items: [item.id])
        return ItemResponse(item: item)
    }

    private mutating func addRegion(_ request: Request) throws(Refused) -> RegionResponse {
        let region = try registry.add(try request.asked(NewRegion.self))
        registryChanged(regions: [region.id])
        return RegionResponse(region: region)
    }

    private mutating func removeRegion(_ request: Request) throws(Refused) -> RegionResponse {
        let named = try request.asked(NameOrID.self)
        guard let region = registry.region(named: named.name) else {
            throw Refused("There is no region \"\(named.name)\".")
        }
        try registry.remove(region: region.id)
        registryChanged(regions: [region.id])
        return RegionResponse(region: region)
    }

    /// Responds to `items/acknowledge`.
    private mutating func acknowledge(_ request: Request) throws(Refused) -> ItemResponse {
        let item = try item(try request.asked(NameOrID.self))
        guard items.acknowledge(item.id, &effects) else {
            throw Refused("Of \(item.name) there is nothing to acknowledge.")
        }
        return ItemResponse(item: item)
    }

    /// The item that a request names.
    func item(_ named: NameOrID) throws(Refused) -> RegistryItem {
        guard let item = registry.item(named: named.name) else { throw Refused("There is no item \"\(named.name)\".") }
        return item
    }

    /// Forgets a gateway that is gone for good, and clears what the broker keeps of it.
    private mutating func removeGateway(_ request: Request) throws(Refused) -> Nothing {
        let named = try request.asked(NameOrID.self)
        guard let gateway = gateways[named.name] else { throw Refused("There is no gateway \"\(named.name)\".") }
        guard !gateway.isAlive(at: effects.now.instant) else {
            throw Refused("\(gateway.id) is alive: stop it first, or it comes back at once.")
        }
        forgetRecord(of: gateway.id, clearing: true)
        return Nothing()
    }

    /// Forgets a gateway, and clears what the broker keeps of it if that is this aggregator's to do.
    mutating func forgetRecord(of gateway: String, clearing: Bool) {
        let affected = takeItems(of: gateway)
        gateways.remove(gateway, clearing: clearing, &effects)
        items.surroundings.forget(gateway)
        announcements.removed(gateway: gateway)
        for id in affected {
            items[id]?.presenceByGateway.forget(gateway)
            items[id]?.lost(gateway)
            items.judge(id, gateways, &effects)
            items.makeDue(id, at: effects.now.instant)
            effects.unwritten.states.insert(id)
        }
        roomsChanged()
        effects.infoChanged()
    }
}

extension Request {
    /// The body of the request. A wrong body is refused with a sentence.
    func asked<Asked: Body>(_: Asked.Type) throws(Refused) -> Asked {
        do { return try body() } catch { throw Refused("\(error)") }
    }
}
