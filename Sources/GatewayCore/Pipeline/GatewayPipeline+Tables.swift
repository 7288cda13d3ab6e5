import Delivery
import EventLogs
import Ranging

extension GatewayPipeline {
    /// Every table that can grow, by name, with its limit. The fleet simulator checks them after every step.
    package var tables: [(name: String, count: Int, limit: Int)] {
        [
            ("events in memory", log.inMemory, EventLog.mostInMemory),
            ("beacons received", nearby.count, NearbyTable.capacity),
            ("beacons monitored", monitor.beaconCount, monitor.settings.memberLimit + RegistryReplica.mostEntries),
            ("beacons of wildcard regions", monitor.members, monitor.settings.memberLimit),
            ("beacons ranged", board.count, monitor.settings.memberLimit + RegistryReplica.mostEntries),
            ("registry items", registry.items.count, RegistryReplica.mostEntries),
            ("registry regions", registry.regions.count, RegistryReplica.mostEntries),
            ("outputs", outputs.count, 0),
        ]
    }
}
