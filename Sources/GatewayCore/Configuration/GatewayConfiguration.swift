import Beacons
import Settings
import Text

/// The content of gateway.toml, with defaults, every value within its range.
package struct GatewayConfiguration: Hashable, Sendable {
    /// The gateway's id in topics, and its client id. The shipped ACL requires the same user name.
    package var id: String
    /// The room that the gateway serves. The default is the gateway's id.
    package var room: String
    /// The name of the machine; `nil` if it has none.
    package var host: String?
    /// The folder for data that survives a restart.
    package var stateDirectory: String
    package var broker: BrokerSettings
    /// The event log on disk.
    package var log: LogSettings
    /// Whether the gateway announces itself to Home Assistant.
    package var homeAssistant: HomeAssistantSettings
    /// Where advertisements come from.
    package var radio: RadioSettings
    /// How distances are estimated and published.
    package var ranging: RangingSettings
    /// When a beacon enters, and when it exits.
    package var monitoring: MonitoringSettings
    /// The regions of this gateway only; the registry has the regions of all gateways.
    package var regions: [Region]
    /// The ids that former versions made for these regions, by the present id, if they differ. Former versions did not drop combining marks.
    package var formerRegionIDs: [String: String] = [:]
    /// The beacon that the gateway transmits; `nil` if it transmits none.
    package var beacon: BeaconTransmission?
    /// The settings among these that requests have changed.
    var changed = ChangedSettings()

    /// Reads the whole file.
    ///
    /// - Parameter hostName: the name from which the id is made if the file has none.
    package init(_ root: SettingsTable, hostName: String) {
        let hostID = makeID(from: hostName)
        host = hostName.isEmpty ? nil : hostName
        id = root.id("id") ?? hostID ?? "gateway"
        if hostID == nil, !root.has("id") {
            root.note("id", "cannot be made from the host's name: write one like \"kitchen\"")
        }
        room = root.text("room") ?? id
        stateDirectory = root.path("state_directory") ?? "/var/lib/forgetmenot-gateway"
        broker = BrokerSettings(root.table("mqtt"), clientID: .given(id))
        log = LogSettings(root.table("log"))
        homeAssistant = HomeAssistantSettings(root.table("home_assistant"), discovery: false)
        if homeAssistant.discovery, id.contains(".") {
            root.table("home_assistant").note(
                "discovery",
                "needs an id without a dot, but the id is \"\(id)\": Home Assistant ignores topics with a dot"
            )
        }
        radio = RadioSettings(root.table("radio"))
        ranging = RangingSettings(root.table("ranging"))
        monitoring = MonitoringSettings(root.table("monitoring"))
        let configured = ConfiguredRegion.all(in: root)
        regions = configured.map(\.region)
        for entry in configured where !entry.hasWrittenID {
            let former = makeFormerID(from: entry.region.identifier)
            if former != makeID(from: entry.region.identifier) { formerRegionIDs[entry.region.id] = former }
        }
        let beaconTable = root.table("beacon")
        beacon = BeaconTransmission(beaconTable)
        if beacon != nil, radio.interface == .user {
            beaconTable.note("the beacon cannot be sent while radio.interface is \"user\": write \"auto\" there")
        }
    }

    /// The tables and keys that differ and need a restart, named as in the file.
    func differences(from old: GatewayConfiguration) -> [String] {
        var old = old
        (old.ranging.rssiOffset, old.log.level) = (ranging.rssiOffset, log.level)
        return [
            (id != old.id, "id"), (stateDirectory != old.stateDirectory, "state_directory"),
            (broker != old.broker && id == old.id, "[mqtt]"), (log != old.log, "[log]"),
            (radio != old.radio, "[radio]"),
            (ranging != old.ranging, "[ranging]"), (monitoring != old.monitoring, "[monitoring]"),
            (beacon != old.beacon, "[beacon]"), (homeAssistant != old.homeAssistant, "[home_assistant]"),
        ].filter(\.0).map(\.1)
    }

    /// Gives the regions the ids that an earlier release stored on disk, so that existing ids stay.
    ///
    /// - Returns: whether there is such a region.
    mutating func restoreRegionIDs(_ stored: Set<String>) -> Bool {
        var taken = Set(regions.map(\.id))
        var isChanged = false
        for index in regions.indices {
            let id = regions[index].id
            guard let former = formerRegionIDs[id], stored.contains(former), !stored.contains(id),
                taken.insert(former).inserted
            else { continue }
            regions[index].id = former
            isChanged = true
        }
        return isChanged
    }

    /// The configuration with all defaults, on the host of this name.
    package init(hostName: String) {
        let reading = readSettings([], file: "no file") {
            GatewayConfiguration($0, hostName: makeID(from: hostName) ?? "gateway")
        }
        guard let configuration = reading.configuration else { preconditionFailure("the defaults are invalid") }
        self = configuration
        host = hostName.isEmpty ? nil : hostName
    }
}
