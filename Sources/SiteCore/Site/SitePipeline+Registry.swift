import Beacons
import Delivery
import Messages

/// Responds to requests, and has items, announcements and files follow the registry: changed by requests, by the configuration, or by another
/// aggregator.
extension SitePipeline {
    mutating func respond(_ what: String, _ payload: [UInt8]) {
        // The page's connection, which has the history, responds.
        if SiteRequest(rawValue: what) == .stays, configuration.hasHistory { return }
        let request = Request(parsing: payload)
        reports.updateModelIfStale(&effects)
        do throws(Refused) {
            if let refusal = request.refusal { throw Refused("\(refusal)") }
            if let change = try registryPublisher.registry.change(by: what, request, owners: people.ids(of:in:)) {
                registryChanged(by: change)
                return effects.reply(what, request, change)
            }
            if try respond(toMessages: what, request) { return }
            if try reports.items.respond(to: what, request, registry, &effects) { return }
            if try respond(toPeople: what, request) { return }
            switch SiteRequest(rawValue: what) {
            case .alive: effects.reply(what, request, .done(Nothing()))
            case .removeGateway:
                try reports.remove(gateway: try request.asked(NameOrID.self).name, &effects)
                effects.reply(what, request, .done(Nothing()))
            case .stays: throw Refused("The history is off: set enabled = true in [history].")
            default:
                throw Refused(
                    "The aggregator does not respond to \"\(what)\": the page AggregatorRequests of the reference lists its requests."
                )
            }
        } catch {
            effects.reply(what, request, Response<Nothing>.Outcome.failed(error.sentence))
        }
    }

    /// Publishes entries that have changed, stores them, and has the items follow.
    private mutating func registryChanged(items ids: [String], regions: [String]) {
        effects.unwritten.regions.formUnion(regions)
        reports.forget(regions: regions.filter { registry.regions[$0] == nil })
        reports.items.match(ids, registry, &effects)
        for id in ids {
            effects.unwritten.note(item: id)
            effects.devices.append(registry.items[id] == nil ? .removedItem(id) : .changedItem(id))
        }
        effects.add(.storeSiteNow)
        registryPublisher.changed(items: ids, regions: regions, &effects)
        effects.infoChanged()
    }

    /// Has everything follow what a request has changed of the registry.
    private mutating func registryChanged(by change: SiteRegistry.Change) {
        guard !change.items.isEmpty || !change.regions.isEmpty else { return }
        // A removed item is cleared before the registry names it no longer.
        for id in change.items where registry.items[id] == nil {
            reports.items.match(id, registry, &effects)
            withdraw(item: id)
        }
        registryChanged(items: change.items, regions: change.regions)
        if change.isLocationDue { for id in change.items { reports.items.publishIfDue(id, &effects) } }
    }

    /// Compares the broker's registry with ours after a connect, follows what comes of it, and publishes what is due.
    mutating func advanceRegistry() {
        if let judgement = registryPublisher.tend(isSettled: isSettled, &effects) {
            if judgement.isTakenUp {
                reports.items.match(registry, &effects)
                effects.devices += registry.items.keys.sorted().map { .changedItem($0) }
            }
            for request in judgement.requests { respond(request.what, request.payload) }
        }
        registryPublisher.publishManifestIfDue(&effects)
        guard isSettled else { return }
        for id in goneItems where registry.items[id] == nil { effects.publish(.clearing(.itemAliases(item: id))) }
        goneItems = []
    }

    /// Applies the changes of a configuration that need no restart: items, regions, rooms, doors, and the settings of gateways.
    ///
    /// A removed entry disappears without an event, as by command. An item that carries another beacon now starts without history.
    mutating func configure(_ configuration: AggregatorConfiguration) {
        let former = registry
        effects.unwritten.isEverything = true
        registryPublisher.registry = SiteRegistry(
            configuration, stored: stored, boot: registry.origin, counts: isActive)
        registryPublisher.registry.continueParts(of: former)
        followPeople(configuration)
        for id in former.items.keys.sorted() where registry.items[id] == nil { ItemLocations.clear(id, &effects) }
        reports.configure(configuration.site)
        reports.items.match(registry, &effects)
        reports.updateModel(&effects)
        let changed = registry.differences(from: former)
        if !(changed.items + changed.regions).isEmpty {
            registryChanged(items: changed.items, regions: changed.regions)
        }
        reports.items.lookAtAll(at: effects.now.instant)
        effects.devices += reports.gateways.ids.sorted().map { .changedGateway($0) }
        effects.infoChanged()
    }

    /// Has people and the registry follow rooms that have other names now.
    mutating func followRoomChanges() {
        guard !effects.roomChanges.isEmpty else { return }
        let changes = effects.roomChanges
        effects.roomChanges = []
        for changes in changes {
            rename(roomsOfPeople: changes.heirs)
            guard isActive, part.writesRegistry else { continue }
            let ids = registryPublisher.registry.rename(rooms: changes.renamed)
            if !ids.isEmpty { registryChanged(items: ids, regions: []) }
        }
    }

    // MARK: Written by another aggregator

    /// Takes over the registry that another aggregator writes: removed items are gone without an event, and new ones begin.
    ///
    /// - Parameter changes: the entries that may differ; `nil`: any.
    /// - Returns: the items that are gone, or carry another beacon now.
    mutating func takeOver(registry replica: RegistryReplica, _ changes: RegistryReplica.Changes?) -> [String] {
        let changed = registryPublisher.registry.follow(replica, changes)
        // No request waits for a registry that is another aggregator's.
        registryPublisher.registry.judged()
        effects.unwritten.regions.formUnion(changed.regions)
        reports.forget(regions: changed.regions.filter { registry.regions[$0] == nil })
        let ids = changed.items.sorted()
        let gone = ids.filter { id in
            guard let item = registry.items[id] else { return true }
            return items.table.place(of: id).map { items.table[$0].item.beacon != item.beacon } ?? false
        }
        for id in ids {
            effects.unwritten.note(item: id)
            if registry.items[id] == nil, items.table.place(of: id) != nil { withdraw(item: id) }
        }
        reports.items.match(ids, registry, &effects)
        effects.devices += ids.filter { items.table.place(of: $0) != nil }.map { .changedItem($0) }
        effects.add(.storeSite)
        effects.infoChanged()
        return gone
    }
}
