import Settings

/// The `[standby]` table: this aggregator is one of several for the same site, of which one is active.
package struct StandbySettings: Hashable, Sendable {
    /// The name of this aggregator among them, an id.
    package var name: String

    package init(name: String) { self.name = name }

    /// Reads `[standby]`; `nil` if it is absent.
    package init?(_ standby: SettingsTable) {
        let name = (standby.isPresent ? standby.required : standby).id("name")
        guard let name else { return nil }
        self.name = name
    }
}
