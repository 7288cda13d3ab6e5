import Settings

/// A `[[door]]`: where people go from one room to another.
public struct DoorSettings: Hashable, Sendable {
    /// One of the two rooms.
    public var first: String
    /// The other.
    public var second: String
    /// Where it is on the plan, in metres; `nil`: somewhere between them.
    public var at: Point?
    /// The line of its header.
    public var line: Int

    /// Reads a `[[door]]`; `nil` where it does not name two rooms.
    init?(_ table: SettingsTable) {
        let rooms = table.required.texts("between", count: 2...2)
        at = table.point("at_m")
        line = table.line ?? 0
        guard let rooms else { return nil }
        (first, second) = (rooms[0], rooms[1])
    }
}
