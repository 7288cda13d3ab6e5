import Locating
import Settings
import Text

/// The site: the part of the configuration that `replay` needs as well.
package struct SiteConfiguration: Hashable, Sendable {
    package static let mostRooms = 1024
    /// The limit of rooms with an outline: each has a cell of the plan at least.
    package static let mostOutlines = 400

    /// The configured rooms. If there are none, gateways may serve any room.
    package var rooms: [Site.Room] = []
    package var floorNames: [Int: String] = [:]
    package var doors: [Site.Door] = []
    package var gateways: [GatewaySettings] = []
    package var items: [ItemSettings] = []
    package var people: [PersonSettings] = []
    /// Whether the configuration file has a plan itself: an outline, a door, or a gateway's position. Without one, the page may draw it.
    package var hasOwnPlan = false
    /// The pictures behind the plan that was drawn on the page.
    package var pictures: [PlanPicture] = []
    /// Why the plan that was drawn on the page is not used, in a sentence; `nil` if it is, or if there is none.
    package var planProblem: String?
    /// The receiver offsets that were set on the page, in dB, by gateway. `[[gateway]]` takes precedence.
    package var pageOffsets: [String: Double] = [:]

    /// The language of notifications, of messages to persons, and of names in Home Assistant.
    package var texts = Texts.english

    package init() {}

    /// Reads the site's tables, and checks that they fit together.
    ///
    /// - Parameter drawn: the plan that was drawn on the page; it must be `nil` if the file has its own.
    package init(_ root: SettingsTable, drawn: SettingsTable? = nil) {
        var check = PlanCheck()
        for table in root.tables("room") { check.add(Site.Room(table), table) }
        for table in root.tables("door") { check.add(Site.Door(table), table) }
        for table in root.tables("gateway") { check.add(GatewaySettings(table), table) }
        hasOwnPlan = check.hasPlan
        if let drawn {
            check.complete(with: drawn)
            pictures = PlanPicture.all(in: drawn)
        }
        floorNames = root.floorNames().merging(drawn?.floorNames() ?? [:]) { own, _ in own }
        check.run(notingExcessIn: drawn ?? root)
        rooms = check.rooms.map(\.settings)
        doors = check.doors.map(\.settings)
        gateways = check.gateways.map(\.settings)
        items = ItemSettings.all(in: root)
        people = PersonSettings.all(in: root)
    }

    package func room(named name: String) -> Site.Room? {
        rooms.first { $0.name == name }
    }

    /// The floor of a gateway: its own, else its room's, else 0.
    package func floor(of gateway: GatewaySettings) -> Int {
        gateway.floor ?? gateway.room.flatMap(room(named:))?.floor ?? 0
    }
}
