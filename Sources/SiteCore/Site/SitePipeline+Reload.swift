import Beacons
import Messages

/// A configuration that changed while the aggregator runs.
extension SitePipeline {
    /// Applies the changes that need no restart: items, regions, rooms, doors, and the settings of gateways.
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
        for id in former.items.keys.sorted() where registry.items[id] == nil {
            for topic in [Topic.itemLocation(item: id), .itemNotification(item: id)] {
                effects.publish(.clearing(topic))
            }
        }
        for (id, item) in former.items where registry.items[id].map({ $0.beacon != item.beacon }) ?? false {
            items.forget(id)
        }
        gateways.configure(configuration.site.gateways)
        items.match(registry, at: effects.now.instant)
        roomsChanged()
        if registry.revision != former.revision {
            registryChanged(
                items: ids(of: former.items, registry.items), regions: ids(of: former.regions, registry.regions))
        }
        for id in Array(items.keys) { items.judge(id, gateways, &effects) }
        items.lookAtAll(at: effects.now.instant)
        for id in gateways.ids.sorted() { announcements.changed(gateway: id) }
        effects.infoChanged()
        return late
    }

    /// The ids of the entries that differ.
    private func ids<Entry: Equatable>(of former: [String: Entry], _ present: [String: Entry]) -> [String] {
        Set(former.keys).union(present.keys).filter { former[$0] != present[$0] }.sorted()
    }
}

extension AggregatorConfiguration {
    /// What differs that only a start takes up, as the file calls it.
    fileprivate func differences(from old: AggregatorConfiguration) -> [String] {
        [
            (stateDirectory != old.stateDirectory, "state_directory"), (broker != old.broker, "[mqtt]"),
            (log != old.log, "[log]"), (page != old.page, "[page]"), (history != old.history, "[history]"),
            (occupancy != old.occupancy, "[occupancy]"),
            (notifyCommand != old.notifyCommand, "[notify]"), (standby != old.standby, "[standby]"),
            (subscribe.name != old.subscribe.name, "name"), (subscribe.shares != old.subscribe.shares, "[[subscribe]]"),
        ].filter(\.0).map(\.1)
    }
}
