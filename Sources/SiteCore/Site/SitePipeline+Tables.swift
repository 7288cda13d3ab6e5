import Journal
import Messages

extension SitePipeline {
    /// Everything in it that can grow, by name, with the most that it may hold: what a simulated fleet checks after every step.
    package var tables: [(name: String, count: Int, limit: Int)] {
        [
            ("events in memory", log.inMemory, EventLog.mostInMemory),
            ("gateways", gateways.count, GatewayRecord.most),
            ("topics kept of one gateway", gateways.values.map(\.kept.count).max() ?? 0, GatewayRecord.mostKept),
            ("items", items.count, RegistryManifest.longestList),
            ("words on one item", items.values.map(\.stay.words.count).max() ?? 0, GatewayRecord.most),
            ("ranged states of one item", items.values.map(\.ranged.count).max() ?? 0, GatewayRecord.most),
            ("items to be looked at", deadlines.count, RegistryManifest.longestList),
            ("entries of the deadlines", deadlines.entries, 2 * RegistryManifest.longestList + 64),
            ("strays", heldRegistry.strays.count, BrokerRegistry.mostStrays),
            ("questions about the log", logReading.count, LogReading.most),
            ("untold events of one item", standby?.untold.longest ?? 0, UntoldEvents.most),
            ("outputs", outputs.count, 0),
        ]
    }
}
