import Beacons
import Delivery
import Messages

/// An aggregator that locates a part of the site's items.
///
/// The aggregator without a name writes the registry, responds to the commands and announces the gateways. Those with a name follow the
/// registry, and each publishes what concerns its own items.
extension SitePipeline {
    var division: Division {
        _read { yield items.division }
        _modify { yield &items.division }
    }

    /// Whether this aggregator has a name: it does not write the registry.
    var isNamed: Bool { division.isNamed }

    var availabilityTopic: Topic {
        isNamed ? .namedAvailability(aggregator: division.name) : .aggregatorAvailability
    }
    var infoTopic: Topic { isNamed ? .namedInfo(aggregator: division.name) : .aggregatorInfo }
    private var sharesTopic: Topic { isNamed ? .namedShares(aggregator: division.name) : .aggregatorShares }

    /// Whether the record of an item is this aggregator's to publish and to clear.
    func publishes(item id: String) -> Bool {
        registry.items[id].map { division.isOwn($0.beacon) } ?? !isNamed
    }

    /// Publishes which beacons are this aggregator's, if not all are.
    mutating func publishShares() {
        if let own = division.own { effects.publish(sharesTopic, BeaconShares(shares: own)) }
    }

    // MARK: What the others publish

    /// Takes a message that concerns the division of the site; returns whether nothing else is to be done with it.
    mutating func take(divided topic: Topic, _ payload: [UInt8], isRetained: Bool) throws(PayloadRefusal) -> Bool {
        switch topic {
        case .aggregatorShares: try takeShares(of: "", payload)
        case .namedShares(let name): try takeShares(of: name, payload)
        case .namedAvailability(let name): takeAvailability(of: name, payload, isRetained: isRetained)
        case .aggregatorAvailability where isNamed: takeAvailability(of: "", payload, isRetained: isRetained)
        case .registryManifest, .registryPart, .registryItem, .registryRegion:
            guard isNamed else { return false }
            if try followed.receive(topic, payload, at: effects.now.instant) { followRegistry() }
        case .gatewayInfo(let gateway) where isNamed && payload.isEmpty: forget(gateway: gateway)
        case .itemLocation(let id), .itemNotification(let id), .itemEvent(let id): return !publishes(item: id)
        case .aggregatorRequest(let what): return !isRetained && !responds(to: what, payload)
        default: return false
        }
        return true
    }

    private mutating func takeShares(of name: String, _ payload: [UInt8]) throws(PayloadRefusal) {
        let shares = payload.isEmpty ? nil : try BeaconShares(parsing: payload).shares
        guard name != division.name else {
            // Left by a former process, which had shares.
            if division.own == nil, shares != nil { effects.publish(.clearing(sharesTopic)) }
            return
        }
        let former = division.overlaps
        guard division.take(shares, of: name, at: effects.now.instant) else { return }
        let count = shares?.count ?? 0
        effects.note("\(Division.title(name)) has \(count == 0 ? "no share" : "\(count) shares") of the beacons now")
        divisionChanged(formerOverlaps: former)
    }

    private mutating func takeAvailability(of name: String, _ payload: [UInt8], isRetained: Bool) {
        guard name != division.name else { return }
        switch Availability(parsing: payload) {
        case .offline:
            if division.offline.count < SiteShares.mostAggregators { division.offline.insert(name) }
        case .online:
            division.offline.remove(name)
            if !isRetained { division.repeatsAt = effects.now.instant + Division.repeatDelay }
        case nil: division.offline.remove(name)
        }
    }

    /// Follows another division of the site: items of others are theirs without an event, and new ones begin as unknown.
    private mutating func divisionChanged(formerOverlaps: [String]) {
        for overlap in division.overlaps where !formerOverlaps.contains(overlap) { effects.note(overlap) }
        let former = Set(items.keys)
        items.match(registry, at: effects.now.instant)
        for (id, item) in registry.items {
            if !division.isOwn(item.beacon) {
                announcements.disown(item: id)
            } else if !former.contains(id) {
                announcements.changed(item: id)
            }
        }
        items.lookAtAll(at: effects.now.instant)
        effects.unwritten.isEverything = true
        effects.add(.storeSite)
        effects.infoChanged()
    }

    /// Lets time pass for the division of the site.
    mutating func advanceDivision() {
        let former = division.overlaps
        if division.giveUpUnconfirmed(at: effects.now.instant) { divisionChanged(formerOverlaps: former) }
        if let repeatsAt = division.repeatsAt, effects.now.instant >= repeatsAt {
            division.repeatsAt = nil
            publishStates()
        }
        if isNamed { tendFollowed(by: division.name) }
    }

    /// Asks again for entries of the registry that the broker did not deliver, and reports those that do not come.
    mutating func tendFollowed(by name: String) {
        for step in followed.fetchMissing(at: effects.now.instant) { effects.add(.fetch(step)) }
        guard followed.updateProblem(of: name) else { return }
        if let problem = followed.problem { effects.note(problem) }
        effects.infoChanged()
    }

    /// What is wrong with the division, as sentences for `info`.
    var divisionProblems: [String] {
        var problems = division.overlaps
        if let orphans = division.orphans(among: registry.items.values) { problems.append(orphans) }
        if let problem = followed.problem { problems.append(problem) }
        return problems
    }

    // MARK: The registry of another aggregator

    /// Takes over the registry that has just arrived: removed items are gone without an event, and new ones begin.
    private mutating func followRegistry() {
        let changed = followed.apply(to: &registryPublisher.registry)
        // The registry is another aggregator's: no request waits for it.
        registry.judged()
        effects.unwritten.regions.formUnion(changed.regions)
        let ids = changed.items.sorted()
        for id in ids {
            effects.unwritten.note(item: id)
            guard let place = items.place(of: id), items[place].item.beacon != registry.items[id]?.beacon else {
                continue
            }
            items.forget(id)
            guard registry.items[id] == nil else { continue }
            for message in announcements.takeBack(item: id, at: effects.now.instant) {
                effects.add(.publishElsewhere(message))
            }
            effects.publish(.clearing(.itemLocation(item: id)))
            effects.publish(.clearing(.itemNotification(item: id)))
        }
        items.match(ids, registry, at: effects.now.instant)
        for id in ids where items.place(of: id) != nil { announcements.changed(item: id) }
        effects.add(.storeSite)
        effects.infoChanged()
    }

    /// Forgets a gateway that the aggregator without a name has removed.
    private mutating func forget(gateway id: String) {
        guard let gateway = gateways[id], !gateway.isAlive(at: effects.now.instant) else { return }
        forgetRecord(of: gateway.id, clearing: false)
    }

    // MARK: Requests

    /// Whether this aggregator responds to a request. The aggregator of an item responds to requests about that item, and the one without a
    /// name to all others.
    private mutating func responds(to what: String, _ payload: [UInt8]) -> Bool {
        guard let beacon = item(in: what, payload)?.beacon else { return !isNamed }
        guard let other = division.other(for: beacon) else { return true }
        if !isNamed, division.offline.contains(other) {
            effects.reply(
                what, Request(parsing: payload),
                Response<Nothing>.Outcome.failed(
                    "The item belongs to the aggregator \(other), which is not running: start it."))
        }
        return false
    }

    /// The item that a request is about, if it is one that the item's own aggregator responds to.
    private func item(in what: String, _ payload: [UInt8]) -> RegistryItem? {
        let request = Request(parsing: payload)
        let name: String? =
            switch what {
            case "items/acknowledge": try? request.body(NameOrID.self).name
            case "history": try? request.body(HistoryRequest.self).item?.name
            case "survey/start": try? request.body(SurveyRequest.self).item
            case "survey/stop": try? request.body(SurveyEnd.self).item
            default: nil
            }
        return name.flatMap { registry.item(named: $0) }
    }
}
