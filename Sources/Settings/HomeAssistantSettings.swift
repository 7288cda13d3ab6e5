/// The keys of `[home_assistant]` that both programs have: whether and where discovery is published.
package struct HomeAssistantSettings: Hashable, Sendable {
    package var discovery: Bool
    /// The first level or levels of Home Assistant's topics, without a slash at either end.
    package var prefix: String

    /// Reads `[home_assistant]`; an absent table has the defaults.
    ///
    /// - Parameter discovery: the default of `discovery`.
    package init(_ homeAssistant: SettingsTable, discovery: Bool) {
        self.discovery = homeAssistant.boolean("discovery") ?? discovery
        prefix = homeAssistant.prefix("prefix") ?? "homeassistant"
    }
}
