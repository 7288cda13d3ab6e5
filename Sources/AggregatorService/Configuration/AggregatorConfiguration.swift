import Messages
import Settings

/// All that aggregator.toml says: each key with its default, every value within its range.
public struct AggregatorConfiguration: Hashable, Sendable {
    /// The file, as the user named it: a command that may not remove what stands in it says where that stands.
    public var file: String
    /// The broker, and the aggregator's client id.
    public var broker: BrokerSettings
    /// Where it keeps what must survive a restart.
    public var stateDirectory: String
    /// The event log on disk.
    public var log: LogSettings
    /// Rooms, doors, gateways and items.
    public var site: SiteConfiguration
    /// The regions that every gateway monitors.
    public var regions: [ConfiguredRegion]
    /// Whether Home Assistant is told of items and gateways.
    public var homeAssistant: HomeAssistantSettings
    /// What readers of the `mqtt_room` kind get, if anything.
    public var roomMessages: RoomMessageSettings?
    /// What is run for each notification, if anything.
    public var notifyCommand: NotifyCommand?

    /// Reads the whole file.
    public init(_ root: SettingsTable) {
        file = root.file
        broker = BrokerSettings(root.table("mqtt"), clientID: .configured(default: "forgetmenot"))
        stateDirectory = root.path("state_directory") ?? "/var/lib/forgetmenot"
        log = LogSettings(root.table("log"))
        notifyCommand = NotifyCommand(root.table("notify"))
        homeAssistant = HomeAssistantSettings(root.table("home_assistant"), discovery: true)
        roomMessages = RoomMessageSettings(root.table("home_assistant"))
        regions = ConfiguredRegion.all(in: root)
        site = SiteConfiguration(root)
        let count = site.items.count + regions.count
        if count > RegistryManifest.longestList {
            root.note(
                site.items.isEmpty ? "region" : "item",
                "and [[region]] are \(count) together: at most \(RegistryManifest.longestList) fit into the registry")
        }
        separateIDs(root)
    }
}

/// Reads the aggregator's configuration at `path`, or tells everything that is wrong with it at once.
public func readAggregatorConfiguration(at path: String) throws(SettingsError) -> AggregatorConfiguration {
    try readSettings(at: path) { AggregatorConfiguration($0) }
}

/// Reads the site alone, from aggregator.toml or from a file of its own: all other tables are left unread.
public func readSiteConfiguration(at path: String) throws(SettingsError) -> SiteConfiguration {
    try readSettings(at: path, otherTables: .ignored) { SiteConfiguration($0) }
}
