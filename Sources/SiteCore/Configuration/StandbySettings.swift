import Settings

/// The `[standby]` table: this aggregator is one of several for the same site, of which one is active.
package struct StandbySettings: Hashable, Sendable {
    /// The name of this aggregator among them, an id.
    package var name: String
    /// The file with the secret that the aggregators share, so that each knows the buttons of the other's messages; `nil`: it does not.
    package var secretFile: String?

    package init(name: String, secretFile: String? = nil) {
        self.name = name
        self.secretFile = secretFile
    }

    /// Reads `[standby]`; `nil` if it is absent.
    package init?(_ standby: SettingsTable) {
        let (name, secretFile) = (
            (standby.isPresent ? standby.required : standby).id("name"), standby.path("secret_file")
        )
        guard let name else { return nil }
        self.init(name: name, secretFile: secretFile)
    }
}
