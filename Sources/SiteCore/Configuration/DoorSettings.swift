import Locating
import Settings

/// A `[[door]]` between two rooms.
package struct DoorSettings: Hashable, Sendable {
    /// One of the two rooms.
    package var first: String
    /// The other room.
    package var second: String
    /// Its position on the plan, in metres; `nil` if unknown.
    package var at: Polygon.Point?
    package var line: Int

    /// Reads a `[[door]]`; `nil` if it does not name two rooms.
    init?(_ table: SettingsTable) {
        let rooms = table.required.texts("between", count: 2...2)
        at = table.point("at_m")
        line = table.line ?? 0
        guard let rooms else { return nil }
        (first, second) = (rooms[0], rooms[1])
    }
}
