import Locating
import Testing

@testable import SiteCore

/// Which rooms count as renamed, and which gateways as carried elsewhere.
struct RoomChangesTests {
    private static let former = ["a": ["Hall"], "b": ["Hall"], "c": ["Kitchen"], "d": ["Porch", "Shed"]]

    private func site(_ rooms: [String: [String]], listed: [String] = []) -> Site {
        Site(
            rooms: listed.map { Site.Room(name: $0) },
            gateways: rooms.sorted { $0.key < $1.key }.map { id, rooms in
                Site.Gateway(id: id, room: rooms.first, otherRooms: Array(rooms.dropFirst()))
            })
    }

    private func changes(_ rooms: [String: [String]?], listed: [String] = [], formerly: [String] = []) -> RoomChanges {
        var present = Self.former
        for (id, rooms) in rooms { present[id] = rooms }
        return RoomChanges(from: site(Self.former, listed: formerly), to: site(present, listed: listed))
    }

    @Test func `a site without changes of rooms has none`() {
        #expect(changes([:], listed: ["Cellar"]) == RoomChanges())
        #expect(changes(["e": ["Attic"]]) == RoomChanges())
    }

    @Test func `a room is renamed once all of its gateways have a name that is new`() {
        let pantry = changes(["c": ["Pantry"]])
        #expect(pantry.renamed == ["Kitchen": "Pantry"] && pantry.heirs == pantry.renamed && pantry.carried.isEmpty)
        let lobby = changes(["a": ["Lobby"], "b": ["Lobby"]])
        #expect(lobby.renamed == ["Hall": "Lobby"] && lobby.carried.isEmpty)
        // One of them is gone for good.
        #expect(changes(["a": ["Lobby"], "b": nil]).renamed == ["Hall": "Lobby"])
        // Two rooms became one.
        let open = changes(["a": ["Living"], "b": ["Living"], "c": ["Living"]])
        #expect(open.renamed == ["Hall": "Living", "Kitchen": "Living"] && open.carried.isEmpty)
    }

    /// Gateways that have other rooms now, with the rooms of the configuration before and after.
    struct Scene: Sendable {
        var rooms: [String: [String]]
        var formerly: [String] = []
        var listed: [String] = []
        var carried: Set<String>
        var heirs: [String: String] = [:]
    }

    @Test(arguments: [
        // Another gateway still has the room.
        Scene(rooms: ["a": ["Lobby"]], carried: ["a"]),
        // The name is another room's, with a gateway and without one.
        Scene(rooms: ["c": ["Hall"]], carried: ["c"], heirs: ["Kitchen": "Hall"]),
        Scene(
            rooms: ["c": ["Cellar"]], formerly: ["Cellar"], listed: ["Cellar"], carried: ["c"],
            heirs: ["Kitchen": "Cellar"]),
        // The configuration has the room still.
        Scene(rooms: ["c": ["Pantry"]], formerly: ["Kitchen"], listed: ["Kitchen"], carried: ["c"]),
        // The gateways of one room are in two.
        Scene(rooms: ["a": ["Lobby"], "b": ["Den"]], carried: ["a", "b"], heirs: ["Hall": "Lobby"]),
        // Nobody knows which of the two is which.
        Scene(rooms: ["d": ["Veranda", "Attic"]], carried: ["d"]),
        Scene(rooms: ["c": ["Pantry", "Larder"]], carried: ["c"]),
    ])
    func `a gateway whose room was not renamed was carried elsewhere`(scene: Scene) {
        let changes = changes(scene.rooms.mapValues { $0 }, listed: scene.listed, formerly: scene.formerly)
        #expect(changes.renamed.isEmpty && changes.carried == scene.carried && changes.heirs == scene.heirs)
    }

    @Test func `a gateway that serves its room and others was not carried`() {
        #expect(changes(["c": ["Kitchen", "Pantry"]]).carried.isEmpty)
        #expect(changes(["d": ["Shed", "Porch"]]).carried.isEmpty)
    }

    @Test func `items follow the gateways of rooms that exchange their names, of which nothing else is known`() {
        let two = changes(["a": ["Kitchen"], "b": ["Kitchen"], "c": ["Hall"]])
        #expect(two.heirs == ["Hall": "Kitchen", "Kitchen": "Hall"])
        #expect(two.renamed.isEmpty && two.carried == ["a", "b", "c"])
        // One of the hall's gateways stays.
        #expect(changes(["a": ["Kitchen"], "c": ["Hall"]]).heirs.isEmpty)
    }
}
