/// The `[home_assistant]` table, as far as both programs have it: whether Home Assistant is told of what there is, and where.
public struct HomeAssistantSettings: Hashable, Sendable {
    /// Whether discovery is published.
    public var discovery: Bool
    /// The first level or levels of Home Assistant's own topics, without a slash at either end.
    public var prefix: String

    /// Reads `[home_assistant]`, present or not.
    ///
    /// - Parameter discovery: whether it is published where nothing is said.
    public init(_ homeAssistant: SettingsTable, discovery: Bool) {
        self.discovery = homeAssistant.boolean("discovery") ?? discovery
        prefix = homeAssistant.prefix("prefix") ?? "homeassistant"
    }
}
