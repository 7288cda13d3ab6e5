import Settings

/// A `[[gateway]]`: what the site says of one of its gateways.
public struct GatewaySettings: Hashable, Sendable {
    /// Its id.
    public var id: String
    /// The room that it serves; `nil`: the one that it says itself.
    public var room: String?
    /// Where it hangs on the plan, in metres.
    public var position: Point?
    /// How high above its floor, in metres.
    public var height: Double?
    /// Its floor; `nil`: that of its room.
    public var floor: Int?
    /// Added to every RSSI from it, in dB: for one that hears better or worse than others; `nil`: what is learned of it.
    public var rssiOffset: Double?
    /// The line of its header.
    public var line: Int

    /// Reads a `[[gateway]]`; `nil` where it has no id.
    init?(_ table: SettingsTable) {
        let id = table.required.id("id")
        room = table.text("room")
        let position = table.numbers("position_m", count: 2...3, in: planRange)
        self.position = position.map { Point(x: $0[0], y: $0[1]) }
        height = position.flatMap { $0.count == 3 ? $0[2] : nil }
        floor = table.floor("floor")
        rssiOffset = table.number("rssi_offset_db", in: -50...50)
        line = table.line ?? 0
        guard let id else { return nil }
        self.id = id
    }
}
