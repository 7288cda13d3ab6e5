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
    /// The ids of these regions that the file does not contain: they are derived from the identifiers.
    package var madeRegionIDs: Set<String> = []
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
        madeRegionIDs = Set(configured.filter { !$0.hasWrittenID }.map(\.region.id))
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

    /// Gives each region without a written id the id that it had before, so that ids stay while other regions come and go.
    ///
    /// - Parameter former: the beacons of the regions that there were, by id; `nil` if unknown, as in a file of an earlier version.
    /// - Returns: whether an id has changed.
    mutating func restoreRegionIDs(_ former: [String: Region.Scope?]) -> Bool {
        let made = regions.indices.filter { madeRegionIDs.contains(regions[$0].id) }
        var ids = regions.map(\.id)
        var taken = Set(ids).subtracting(madeRegionIDs)
        var new: [Int] = []
        for index in made {
            let region = regions[index]
            let candidates = [region.id] + former.keys.sorted()
            let id = candidates.first { id in
                former[id].map { $0 ?? region.scope == region.scope } == true && region.mayHaveMade(id)
                    && !taken.contains(id)
            }
            guard let id else {
                new.append(index)
                continue
            }
            taken.insert(id)
            ids[index] = id
        }
        for index in new {
            let region = regions[index]
            ids[index] = makeID(
                from: region.identifier, kind: .region, identity: region.scope.identity, isTaken: taken.contains)
            taken.insert(ids[index])
        }
        guard ids != regions.map(\.id) else { return false }
        madeRegionIDs = Set(made.map { ids[$0] })
        for index in made { regions[index].id = ids[index] }
        return true
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

extension Region {
    /// Whether an id is made from the region's identifier, also by former versions, which did not drop combining marks, and with a number
    /// behind it as where the id was taken.
    fileprivate func mayHaveMade(_ id: String) -> Bool {
        let made = makeID(from: identifier, kind: .region, identity: scope.identity)
        return [made, makeFormerID(from: identifier)].contains { made in
            guard let made, id.hasPrefix(made) else { return false }
            let rest = id.dropFirst(made.count)
            return rest.isEmpty || rest.first == "-" && Int(rest.dropFirst()).map { $0 > 1 } == true
        }
    }
}
