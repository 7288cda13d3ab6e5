import Beacons
import Glibc
import Settings
import Text

/// All that gateway.toml says: each key with its default, every value within its range.
public struct GatewayConfiguration: Hashable, Sendable {
    /// The gateway's id in topics, its client id, and by custom its user name.
    public var id: String
    /// The room that it serves; its id where nothing is said.
    public var room: String
    /// Where it keeps what must survive a restart.
    public var stateDirectory: String
    /// The broker.
    public var broker: BrokerSettings
    /// The event log on disk.
    public var log: LogSettings
    /// Whether Home Assistant is told of this gateway by itself.
    public var homeAssistant: HomeAssistantSettings
    /// Where advertisements come from.
    public var radio: RadioSettings
    /// How distances are estimated and told.
    public var ranging: RangingSettings
    /// When a beacon counts as there, and when as gone.
    public var monitoring: MonitoringSettings
    /// The regions of this gateway alone; the registry has those of all.
    public var regions: [Region]
    /// The ids that were made for these regions before combining marks were dropped, where those were others: by the id of now.
    public var formerRegionIDs: [String: String] = [:]
    /// The beacon that it is itself, if it is one.
    public var beacon: BeaconTransmission?

    /// Reads the whole file.
    ///
    /// - Parameter hostName: what the id is made from where none is written.
    public init(_ root: SettingsTable, hostName: String) {
        let hostID = makeID(from: hostName)
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
                "discovery", "needs an id without a dot, which \"\(id)\" is not: Home Assistant reads no topic with one"
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
}

extension GatewayConfiguration {
    /// Every default, on this host.
    public init(hostName: String = localHostName()) {
        let reading = readSettings([], file: "no file") {
            GatewayConfiguration($0, hostName: makeID(from: hostName) ?? "gateway")
        }
        guard let configuration = reading.configuration else { preconditionFailure("the defaults are wrong") }
        self = configuration
    }
}

/// Reads the gateway's configuration at `path`, or tells everything that is wrong with it at once.
///
/// - Parameter hostName: what the id is made from where none is written; this host's name unless given.
public func readGatewayConfiguration(
    at path: String, hostName: String = localHostName()
) throws(SettingsError) -> GatewayConfiguration {
    try readSettings(at: path) { GatewayConfiguration($0, hostName: hostName) }
}

/// This host's name without its domain; empty where the kernel does not tell.
public func localHostName() -> String {
    var name = [UInt8](repeating: 0, count: 256)
    let isKnown = name.withUnsafeMutableBytes { gethostname($0.baseAddress!, $0.count - 1) == 0 }
    return isKnown ? String(decoding: name.prefix { $0 != 0 && $0 != UInt8(ascii: ".") }, as: UTF8.self) : ""
}
