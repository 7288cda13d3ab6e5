import Channels
import Delivery
import Messages
import Settings

/// What the aggregator decides with: aggregator.toml without the page and the history, with defaults, every value within its range.
package struct AggregatorConfiguration: Hashable, Sendable {
    /// The file's path as the user wrote it, for the message of a command that cannot remove an entry of the file.
    package var file: String
    /// The broker, and the aggregator's client id.
    package var broker: BrokerSettings
    /// The folder for data that survives a restart.
    package var stateDirectory: String
    /// The event log on disk.
    package var log: LogSettings
    /// Rooms, doors, gateways and items.
    package var site: SiteConfiguration
    /// The regions that every gateway monitors.
    package var regions: [ConfiguredRegion]
    /// Whether items and gateways are announced to Home Assistant.
    package var homeAssistant: HomeAssistantSettings
    /// The room messages for `mqtt_room` sensors; `nil` if there are none.
    package var roomMessages: RoomMessageSettings?
    /// The program to run for each notification; `nil` if there is none.
    package var notifyCommand: NotifyCommand?
    /// The channels to the phones of persons: those of the file, and the subscriptions that browsers have given to the page.
    package var channels: [ChannelSettings]
    /// The URL at which phones reach the page, without a slash at its end; `nil`: messages do not link to the page.
    package var pageURL: String?
    /// Whether where items were is stored beside the aggregator: then requests about stays are not its own.
    package var hasHistory = true
    /// Whether the rooms' occupancy sensors, which other systems publish, are evidence.
    package var readsOccupancy: Bool

    /// The part of the site that this aggregator locates.
    package var subscribe: SubscribeSettings
    /// This aggregator among several for the site, of which one is active; `nil` if it is the only one.
    package var standby: StandbySettings?
    /// The client id of the active one of several aggregators.
    package var sharedClientID: String

    /// Reads its tables of the file, and the plan that was drawn on the page.
    package init(_ root: SettingsTable, drawn: SettingsTable? = nil) {
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
        channels = ChannelSettings.all(in: root)
        homeAssistant = HomeAssistantSettings(root.table("home_assistant"), discovery: true)
        roomMessages = RoomMessageSettings(root.table("home_assistant"))
        readsOccupancy = root.table("occupancy").boolean("enabled") ?? false
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

    /// What differs that only a start takes up, as the file calls it.
    func differences(from old: AggregatorConfiguration) -> [String] {
        [
            (stateDirectory != old.stateDirectory, "state_directory"), (site.texts != old.site.texts, "language"),
            (broker != old.broker, "[mqtt]"),
            (log != old.log, "[log]"), (readsOccupancy != old.readsOccupancy, "[occupancy]"),
            (homeAssistant != old.homeAssistant || roomMessages != old.roomMessages, "[home_assistant]"),
            (notifyCommand != old.notifyCommand, "[notify]"),
            (standby != old.standby, "[standby]"),
            (subscribe.name != old.subscribe.name, "name"), (subscribe.shares != old.subscribe.shares, "[[subscribe]]"),
        ].filter(\.0).map(\.1)
    }

    /// The most items and regions together. Home Assistant does not carry a device for each item of a larger site.
    var mostEntries: Int {
        homeAssistant.discovery ? SiteRegistry.mostAnnounced : RegistryManifest.mostEntries
    }

    /// What stands before each topic.
    package var prefix: TopicPrefix { broker.topicPrefix }
}
