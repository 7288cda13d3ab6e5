import Journal
import Messages

extension SitePipeline {
    /// Everything in it that can grow, by name, with the most that it may hold: what a simulated fleet checks after every step.
    package var tables: [(name: String, count: Int, limit: Int)] {
        [
            ("events in memory", log.inMemory, EventLog.mostInMemory),
            ("gateways", gateways.count, GatewayRecord.most),
            ("topics kept of one gateway", gateways.all.map(\.kept.count).max() ?? 0, GatewayRecord.mostKept),
            ("items", items.count, RegistryManifest.mostEntries),
            ("words on one item", items.values.map(\.stay.words.count).max() ?? 0, GatewayRecord.most),
            ("ranged states of one item", items.values.map(\.ranged.count).max() ?? 0, GatewayRecord.most),
            ("items to be looked at", items.deadlines.count, RegistryManifest.mostEntries),
            ("entries of the deadlines", items.deadlines.entries, 2 * RegistryManifest.mostEntries + 64),
            ("strays", registryPublisher.held.strays.count, BrokerRegistry.mostStrays),
            ("questions about the log", items.events.readings, LogReading.most),
            ("untold events of one item", items.events.untold?.longest ?? 0, UntoldEvents.most),
            ("outputs", effects.outputs.count, 0),
        ]
    }
}
