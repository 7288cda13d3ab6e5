import Channels
import EventLogs
import Messages
import People

extension SitePipeline {
    /// Every table that can grow, with its size and its limit. The fleet simulator checks the limits after each step.
    package var tables: [(name: String, count: Int, limit: Int)] {
        [
            ("events in memory", log.inMemory, EventLog.mostInMemory),
            ("gateways", reports.gateways.count, GatewayRecord.most),
            (
                "retained topics of one gateway", reports.gateways.all.map(\.retainedCount).max() ?? 0,
                GatewayRecord.mostRetained
            ),
            ("items", items.count, RegistryManifest.mostEntries),
            ("reports of one item", items.values.map(\.presenceByGateway.words.count).max() ?? 0, GatewayRecord.most),
            ("ranged states of one item", items.values.map(\.ranged.count).max() ?? 0, GatewayRecord.most),
            ("items with a deadline", items.deadlines.count, RegistryManifest.mostEntries),
            ("entries of the deadlines", items.deadlines.entries, 2 * RegistryManifest.mostEntries + 64),
            ("strays", registryPublisher.held.strays.count, BrokerRegistry.mostStrays),
            ("occupancy sensors", items.surroundings.sensors.count, Surroundings.mostSensors),
            ("people", people.household.ids.count, Household.most),
            ("items of people", people.household.itemCount, RegistryManifest.mostEntries),
            ("requests that read the log", items.events.readings, LogReading.most),
            ("messages to persons", messages.count, PersonalMessages.most),
            ("tests of channels", channelTests.count, Self.mostChannelTests),
            ("outputs", effects.outputs.count, 0),
            ("events that were handed out", items.events.handedOut?.count ?? 0, 0),
        ]
    }
}
