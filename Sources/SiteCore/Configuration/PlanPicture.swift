import Locating
import Settings

/// The file of the state folder with the plan that was drawn on the page.
///
/// The file has the tables `[[room]]`, `[[door]]`, `[[gateway]]` and `[[picture]]`. The aggregator uses the file only if aggregator.toml has no
/// plan.
package let drawnPlanFile = "plan.toml"

/// A `[[picture]]` of a drawn plan: an image of one floor, over which its rooms were drawn.
package struct PlanPicture: Hashable, Sendable {
    /// The beginning of the name of a picture's file in the state folder, before the picture's name.
    package static let filePrefix = "plan-picture-"
    /// The limit of pictures, one for each floor.
    package static let most = 16

    /// Its floor; no two pictures have the same.
    package var floor: Int
    /// The name of its file: 16 hexadecimal digits that depend on the content.
    package var name: String
    /// Its upper left corner on the plan.
    package var corner: Polygon.Point
    /// Its width on the plan, in metres.
    package var width: Double

    package static func isName(_ text: String) -> Bool {
        text.utf8.count == 16
            && text.utf8.allSatisfy {
                ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9"))
                    || ($0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "f"))
            }
    }

    static func all(in root: SettingsTable) -> [PlanPicture] {
        var floors: Set<Int> = []
        let tables = root.tables("picture")
        if tables.count > most { root.note("picture", "is written \(tables.count) times: at most \(most)") }
        return tables.compactMap { table in
            let floor = table.floor("floor") ?? 0
            if !floors.insert(floor).inserted {
                table.note("floor", "is \(floor), which another picture has: write one")
            }
            let name = table.required.parsed("name", "16 hexadecimal digits") { isName($0) ? $0 : nil }
            let corner = table.point("at_m")
            let width = table.number("width_m", in: 0.1...10_000)
            guard let name else { return nil }
            return PlanPicture(
                floor: floor, name: name, corner: corner ?? Polygon.Point(x: 0, y: 0), width: width ?? 10)
        }
    }
}
