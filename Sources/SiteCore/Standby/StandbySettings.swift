import Settings

/// The `[standby]` table: this aggregator is one of several for the same site, of which one is active.
public struct StandbySettings: Hashable, Sendable {
    /// The name of this aggregator among them, an id.
    public var name: String

    /// Settings with a name.
    public init(name: String) { self.name = name }

    /// Reads `[standby]`; `nil` if it is absent.
    public init?(_ standby: SettingsTable) {
        let name = (standby.isPresent ? standby.required : standby).id("name")
        guard let name else { return nil }
        self.name = name
    }
}
