import Delivery
import Messages
import Settings

/// The content of aggregator.toml, with defaults, every value within its range.
public struct AggregatorConfiguration: Hashable, Sendable {
    /// The file's path as the user wrote it, for the message of a command that cannot remove an entry of the file.
    public var file: String
    /// The broker, and the aggregator's client id.
    public var broker: BrokerSettings
    /// The folder for data that survives a restart.
    public var stateDirectory: String
    /// The event log on disk.
    public var log: LogSettings
    /// Rooms, doors, gateways and items.
    public var site: SiteConfiguration
    /// The regions that every gateway monitors.
    public var regions: [ConfiguredRegion]
    /// Whether items and gateways are announced to Home Assistant.
    public var homeAssistant: HomeAssistantSettings
    /// The room messages for `mqtt_room` sensors; `nil` if there are none.
    public var roomMessages: RoomMessageSettings?
    /// The program to run for each notification; `nil` if there is none.
    public var notifyCommand: NotifyCommand?
    /// The web page and the HTTP interface.
    public var page: PageSettings
    /// Where items were.
    public var history: HistorySettings
    /// The rooms' occupancy sensors.
    public var occupancy: OccupancySettings

    /// The part of the site that this aggregator locates.
    public var subscribe: SubscribeSettings
    /// This aggregator among several for the site, of which one is active; `nil` if it is the only one.
    public var standby: StandbySettings?
    /// The client id of the active one of several aggregators.
    public var sharedClientID: String

    /// Reads the whole file, and the plan that was drawn on the page.
    public init(_ root: SettingsTable, drawn: SettingsTable? = nil) {
        file = root.file
        broker = BrokerSettings(root.table("mqtt"), clientID: .configured(default: "forgetmenot"))
        standby = StandbySettings(root.table("standby"))
        sharedClientID = broker.clientID
        subscribe = SubscribeSettings(root)
        if let standby {
            broker.clientID += "-\(standby.name)"
        } else if let name = subscribe.name {
            broker.clientID += "-\(name)"
        }
        stateDirectory = root.path("state_directory") ?? "/var/lib/forgetmenot"
        log = LogSettings(root.table("log"))
        notifyCommand = NotifyCommand(root.table("notify"))
        homeAssistant = HomeAssistantSettings(root.table("home_assistant"), discovery: true)
        roomMessages = RoomMessageSettings(root.table("home_assistant"))
        page = PageSettings(root.table("page"))
        history = HistorySettings(root.table("history"))
        if subscribe.name != nil { (page.isEnabled, history.isEnabled) = (false, false) }
        occupancy = OccupancySettings(root.table("occupancy"))
        regions = ConfiguredRegion.all(in: root)
        site = SiteConfiguration(root, drawn: drawn)
        let count = site.items.count + regions.count
        if count > mostEntries {
            root.note(
                site.items.isEmpty ? "region" : "item",
                "and [[region]] are \(count) together: at most \(mostEntries) fit into the registry"
                    + (homeAssistant.discovery ? " of a site with [home_assistant] discovery = true" : ""))
        }
        separateIDs(root)
    }
}

extension AggregatorConfiguration {
    /// The most items and regions together. Home Assistant does not carry a device for each item of a larger site.
    var mostEntries: Int {
        homeAssistant.discovery ? SiteRegistry.mostAnnounced : RegistryManifest.mostEntries
    }

    /// What stands before each topic.
    package var prefix: TopicPrefix { broker.topicPrefix }
}
