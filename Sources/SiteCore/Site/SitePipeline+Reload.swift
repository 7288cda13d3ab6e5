import Beacons
import Messages

/// A configuration that changed while the aggregator runs.
extension SitePipeline {
    /// Takes up what can be taken up without a start: items, regions, rooms, doors, and what is told of gateways.
    ///
    /// What was removed goes without an event, as by command; an item that carries another beacon now begins anew.
    /// - Returns: the tables and keys that changed as well, and take effect at the next start.
    mutating func reload(_ new: AggregatorConfiguration, at moment: Moment) -> [String] {
        now = moment
        let late = new.differences(from: configuration)
        let former = registry
        unwritten.isEverything = true
        registry = SiteRegistry(new, kept: kept, boot: registry.origin)
        (configuration.site, configuration.regions, configuration.file) = (new.site, new.regions, new.file)
        for id in former.items.keys.sorted() where registry.items[id] == nil {
            for topic in [Topic.itemLocation(item: id), .itemNotification(item: id)] { publish(.clearing(topic)) }
        }
        for (id, item) in former.items where registry.items[id].map({ $0.beacon != item.beacon }) ?? false {
            items[id] = nil
        }
        matchItems()
        roomsChanged()
        if registry.revision != former.revision {
            registryChanged(items: publishChanges(since: former))
        }
        for id in items.keys { judge(id) }
        lookAtAll()
        for id in gateways.keys.sorted() { announcements.changed(gateway: id) }
        publishInfo()
        return late
    }

    /// Publishes the entries that differ from those of `former`; returns the items among them.
    private mutating func publishChanges(since former: SiteRegistry) -> [String] {
        let items = Set(former.items.keys).union(registry.items.keys).sorted()
            .filter { former.items[$0] != registry.items[$0] }
        for id in items { publish(entry: .registryItem(id), registry.items[id]) }
        for id in Set(former.regions.keys).union(registry.regions.keys).sorted()
        where former.regions[id] != registry.regions[id] {
            publish(entry: .registryRegion(id), registry.regions[id])
        }
        return items
    }
}

extension AggregatorConfiguration {
    /// What differs that only a start takes up, as the file calls it.
    fileprivate func differences(from old: AggregatorConfiguration) -> [String] {
        [
            (stateDirectory != old.stateDirectory, "state_directory"), (broker != old.broker, "[mqtt]"),
            (log != old.log, "[log]"), (page != old.page, "[page]"), (history != old.history, "[history]"),
            (notifyCommand != old.notifyCommand, "[notify]"), (standby != old.standby, "[standby]"),
        ].filter(\.0).map(\.1)
    }
}
