import Locating
import Settings

extension Site.Room {
    /// Reads a `[[room]]`; `nil` if it has no name.
    init?(_ table: SettingsTable) {
        let name = table.required.text("name")
        let (floor, polygon) = (table.floor("floor") ?? 0, table.polygon("polygon_m"))
        guard let name else { return nil }
        self.init(name: name, floor: floor, polygon: polygon)
    }
}

extension Site.Door {
    /// Reads a `[[door]]`; `nil` if it does not name two rooms.
    init?(_ table: SettingsTable) {
        let (rooms, at) = (table.required.texts("between", count: 2...2), table.point("at_m"))
        guard let rooms else { return nil }
        self.init(from: rooms[0], to: rooms[1], at: at)
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
