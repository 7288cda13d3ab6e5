import Settings

/// The site: what of the configuration `replay` needs as well.
public struct SiteConfiguration: Hashable, Sendable {
    /// The rooms that were told, with their outlines where there is a plan. Gateways may serve others where none was told.
    public var rooms: [RoomSettings] = []
    /// The doors.
    public var doors: [DoorSettings] = []
    /// The gateways of which something is told.
    public var gateways: [GatewaySettings] = []
    /// The items.
    public var items: [ItemSettings] = []

    /// A site of which nothing is told.
    public init() {}

    /// Reads the site's tables, and looks whether they fit together.
    public init(_ root: SettingsTable) {
        var check = PlanCheck()
        for table in root.tables("room") { check.add(RoomSettings(table), table) }
        for table in root.tables("door") { check.add(DoorSettings(table), table) }
        for table in root.tables("gateway") { check.add(GatewaySettings(table), table) }
        check.run()
        rooms = check.rooms.map(\.settings)
        doors = check.doors.map(\.settings)
        gateways = check.gateways.map(\.settings)
        items = ItemSettings.all(in: root)
    }

    /// The room of this name.
    public func room(named name: String) -> RoomSettings? {
        rooms.first { $0.name == name }
    }

    /// The floor on which a gateway is: its own word, or its room's, or 0.
    public func floor(of gateway: GatewaySettings) -> Int {
        gateway.floor ?? gateway.room.flatMap(room(named:))?.floor ?? 0
    }
}
