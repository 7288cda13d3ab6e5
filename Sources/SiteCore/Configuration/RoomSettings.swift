import Locating
import Settings

/// A `[[room]]` of the configuration.
package struct RoomSettings: Hashable, Sendable {
    /// Its name, in any script; no two have the same.
    package var name: String
    /// Its floor: -20 to 200.
    package var floor: Int
    /// Its outline on the plan, in metres; `nil` without a plan.
    package var polygon: Polygon?
    package var line: Int

    /// Reads a `[[room]]`; `nil` if it has no name.
    init?(_ table: SettingsTable) {
        let name = table.required.text("name")
        floor = table.floor("floor") ?? 0
        polygon = table.polygon("polygon_m")
        line = table.line ?? 0
        guard let name else { return nil }
        self.name = name
    }
}

/// The range of positions on a plan: within 10 km of its origin.
let planRange = -10_000.0...10_000

extension SettingsTable {
    func floor(_ key: String) -> Int? {
        integer(key, in: -20...200)
    }

    func floorNames() -> [Int: String] {
        var names: [Int: String] = [:]
        for table in tables("floor") {
            let (floor, name) = (table.floor("floor") ?? 0, table.required.text("name"))
            if names[floor] != nil { table.note("floor", "is \(floor), which another [[floor]] names: write one") }
            names[floor] = name
        }
        return names
    }

    func point(_ key: String) -> Polygon.Point? {
        numbers(key, count: 2...2, in: planRange).map { Polygon.Point(x: $0[0], y: $0[1]) }
    }

    /// Reads a room's outline; the first corner may be repeated at the end.
    fileprivate func polygon(_ key: String) -> Polygon? {
        guard let pairs = pairs(key, count: 3...200, in: planRange) else { return nil }
        var corners = pairs.map { Polygon.Point(x: $0.0, y: $0.1) }
        if corners.count > 3, corners.first == corners.last { corners.removeLast() }
        guard let polygon = Polygon(corners: corners), !polygon.crossesItself, polygon.area >= 0.01 else {
            note(key, "crosses itself or has no area: write the corners in their order around the room")
            return nil
        }
        return polygon
    }
}
