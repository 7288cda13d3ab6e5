import Beacons
import Delivery
import Messages

/// Has items, announcements and files follow the registry: changed by requests, by the configuration, or by another aggregator.
extension SitePipeline {
    /// Publishes entries that have changed, stores them, and has the items follow.
    private mutating func registryChanged(items ids: [String], regions: [String]) {
        effects.unwritten.regions.formUnion(regions)
        items.match(ids, registry, at: effects.now.instant)
        for id in ids {
            effects.unwritten.note(item: id)
            announcements.changed(item: id, isRemoved: registry.items[id] == nil)
        }
        effects.add(.storeSiteNow)
        registryPublisher.changed(items: ids, regions: regions, &effects)
        effects.infoChanged()
    }

    /// Follows what a request has changed.
    mutating func follow(_ change: SiteRegistry.Change) {
        guard !change.items.isEmpty || !change.regions.isEmpty else { return }
        // A removed item is cleared before the registry names it no longer.
        for id in change.items where registry.items[id] == nil {
            items.match(id, registry, at: effects.now.instant)
            clear(item: id)
        }
        registryChanged(items: change.items, regions: change.regions)
        if change.isLocationDue { for id in change.items { items.publishIfDue(id, &effects) } }
    }

    /// Clears what the broker retains of an item that is gone: first the device, then what its entities read.
    private mutating func clear(item id: String) {
        for message in announcements.withdraw(item: id, at: effects.now.instant) {
            effects.add(.publishElsewhere(message))
        }
        clearStates(of: id)
    }

    private mutating func clearStates(of id: String) {
        effects.publish(.clearing(.itemLocation(item: id)))
        effects.publish(.clearing(.itemNotification(item: id)))
    }

    /// Compares the broker's registry with ours after a connect, follows what comes of it, and publishes what is due.
    mutating func advanceRegistry() {
        if let judgement = registryPublisher.tend(isSettled: isSettled, &effects) {
            if judgement.isTakenUp {
                items.match(registry, at: effects.now.instant)
                for id in registry.items.keys.sorted() { announcements.changed(item: id) }
            }
            for request in judgement.requests { respond(request.what, request.payload) }
        }
        registryPublisher.publishManifestIfDue(&effects)
    }

    // MARK: Written by another aggregator

    /// Takes over the registry that has just arrived: removed items are gone without an event, and new ones begin.
    mutating func followRegistry() {
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
            if registry.items[id] == nil { clear(item: id) }
        }
        items.match(ids, registry, at: effects.now.instant)
        for id in ids where items.place(of: id) != nil { announcements.changed(item: id) }
        effects.add(.storeSite)
        effects.infoChanged()
    }

    /// Asks again for entries of the registry that the broker did not deliver, and reports those that do not come.
    mutating func advanceFollowed(by name: String) {
        for step in followed.fetchMissing(at: effects.now.instant) { effects.add(.fetch(step)) }
        guard followed.updateProblem(of: name) else { return }
        if let problem = followed.problem { effects.note(problem) }
        effects.infoChanged()
    }

    // MARK: Changed by the configuration

    /// Applies the changes of a configuration that need no restart: items, regions, rooms, doors, and the settings of gateways.
    ///
    /// A removed entry disappears without an event, as by command. An item that carries another beacon now starts without history.
    ///
    /// - Returns: The changed tables and keys that need a restart.
    mutating func reload(_ new: AggregatorConfiguration, at moment: Moment) -> [String] {
        now = moment
        let late = new.differences(from: configuration)
        let former = registry
        effects.unwritten.isEverything = true
        registry = SiteRegistry(new, stored: stored, boot: registry.origin)
        registry.continueParts(of: former)
        followed.diverge()
        (configuration.site, configuration.regions, configuration.file) = (new.site, new.regions, new.file)
        for id in former.items.keys.sorted() where registry.items[id] == nil { clearStates(of: id) }
        for (id, item) in former.items where registry.items[id].map({ $0.beacon != item.beacon }) ?? false {
            items.forget(id)
        }
        gateways.configure(configuration.site.gateways)
        items.match(registry, at: effects.now.instant)
        roomsChanged()
        if registry.revision != former.revision {
            let changed = registry.differences(from: former)
            registryChanged(items: changed.items, regions: changed.regions)
        }
        for id in Array(items.keys) { items.judge(id, gateways, &effects) }
        items.lookAtAll(at: effects.now.instant)
        for id in gateways.ids.sorted() { announcements.changed(gateway: id) }
        effects.infoChanged()
        return late
    }
}
