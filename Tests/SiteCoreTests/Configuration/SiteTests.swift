import Locating
import Settings
import Testing

@testable import SiteCore

/// Rooms, doors and gateways: each alone, and whether they fit together.
struct SiteTests {
    // Two rooms side by side, and one above: lines 1 to 12.
    private let rooms = """
        [[room]]
        name = "Kitchen"
        polygon_m = [[0, 0], [4, 0], [4, 3], [0, 3]]
        [[room]]
        name = "Hall"
        polygon_m = [[4, 0], [6, 0], [6, 3], [4, 3], [4, 0]]
        [[room]]
        name = "Attic"
        floor = 1
        polygon_m = [[0, 0], [6, 0], [6, 3], [0, 3]]
        [[room]]
        name = "Garden"

        """

    private func problems(_ text: String) -> [String] {
        published(rooms + text).map { String($0.dropFirst("aggregator.toml:".count)) }
    }

    @Test func `floors have names, one each`() throws {
        let floors = "[[floor]]\nname = \"Downstairs\"\n[[floor]]\nfloor = 1\nname = \"Above\"\n"
        #expect(try #require(aggregator(rooms + floors)?.site).floorNames == [0: "Downstairs", 1: "Above"])
        #expect(
            problems(floors + "[[floor]]\nfloor = 1\nname = \"Attic\"\n[[floor]]\nfloor = 2\n") == [
                "19: floor.floor is 1, which another [[floor]] names: write one",
                "21: floor.name is missing: write a text of 1 to 256 bytes in quotes, without control characters",
            ])
    }

    @Test func `a site has rooms, doors and gateways`() throws {
        let site = try #require(
            aggregator(
                rooms + """
                    [[door]]
                    between = ["Kitchen", "Hall"]
                    at_m = [4.0, 1.5]
                    [[door]]
                    between = ["Hall", "Attic"]
                    [[gateway]]
                    id = "k"
                    room = "Kitchen"
                    position_m = [1.0, 0.2, 2.1]
                    rssi_offset_db = -2
                    [[gateway]]
                    id = "attic"
                    room = "Attic"
                    position_m = [1.0, 1.0]
                    """)?.site)
        #expect(
            site.rooms.map(\.name) == ["Kitchen", "Hall", "Attic", "Garden"])
        #expect(site.rooms[1].polygon?.corners.count == 4 && site.rooms[3].polygon == nil)
        #expect(
            site.doors[0].at == Polygon.Point(x: 4, y: 1.5) && site.doors[0].from == "Kitchen"
                && site.doors[0].to == "Hall")
        #expect(site.gateways[0].position == Polygon.Point(x: 1, y: 0.2) && site.gateways[0].height == 2.1)
        #expect(site.gateways[0].rssiOffset == -2 && site.gateways[1].height == nil)
        #expect(site.gateways.map(site.floor(of:)) == [0, 1])
    }

    /// Rooms of 1 m in rows of 40, of which so many have an outline.
    private func manyRooms(_ count: Int, outlined: Int) -> String {
        (0..<count).map { number in
            let (x, y) = (number % 40, number / 40)
            let outline = "polygon_m = [[\(x), \(y)], [\(x + 1), \(y)], [\(x + 1), \(y + 1)], [\(x), \(y + 1)]]\n"
            return "[[room]]\nname = \"Room \(number)\"\n" + (number < outlined ? outline : "")
        }.joined()
    }

    @Test func `a site has at most so many rooms, and so many of them have an outline`() {
        let (rooms, outlines) = (SiteConfiguration.mostRooms, SiteConfiguration.mostOutlines)
        #expect(published(manyRooms(rooms, outlined: outlines)) == [])
        for (count, outlined, words) in [
            (rooms + 1, 0, "\(rooms + 1) times: at most \(rooms)"),
            (outlines + 1, outlines + 1, "\(outlines + 1) rooms have an outline: at most \(outlines)"),
        ] {
            let problems = published(manyRooms(count, outlined: outlined))
            #expect(problems.count == 1 && problems[0].contains(words), "\(problems)")
        }
        let gateways = (0...GatewayRecord.most).map { "[[gateway]]\nid = \"g\($0)\"\n" }.joined()
        #expect(published(gateways).count == 1)
    }

    @Test func `a gateway between rooms has all of them, and the locator gets them`() throws {
        let site = try #require(
            aggregator(rooms + "[[gateway]]\nid = \"k\"\nrooms = [\"Hall\", \"Kitchen\"]")?.site)
        #expect(site.gateways[0].room == "Hall" && site.gateways[0].otherRooms == ["Kitchen"])
        #expect(site.site().gateways[0].otherRooms == ["Kitchen"])
    }

    @Test func `a gateway may serve any room if the configuration has no rooms`() {
        #expect(aggregator("[[gateway]]\nid = \"k\"\nroom = \"Anywhere\"\nposition_m = [99, 99]") != nil)
    }

    @Test(arguments: [
        ("[[room]]\nname = \"Hall\"", "14: room.name is \"Hall\", as in line 5: write another"),
        ("[[room]]\nname = \"H\\u200Ball\"", "14: room.name is \"H\u{200B}all\", as in line 5: write another"),
        ("[[gateway]]\nid = \"k\"\n[[gateway]]\nid = \"k\"", "16: gateway.id is \"k\", as in line 14: write another"),
        (
            "[[gateway]]\nid = \"k\"\nrooms = [\"Hall\", \"Kithcen\"]",
            "15: gateway.rooms has \"Kithcen\", of which there is no [[room]]: did you mean \"Kitchen\"?"
        ),
        (
            "[[gateway]]\nid = \"k\"\nroom = \"Hall\"\nrooms = [\"Kitchen\"]",
            "16: gateway.rooms stands beside room: write only one of the two"
        ),
        (
            "[[gateway]]\nid = \"k\"\nroom = \"Kithcen\"",
            "15: gateway.room has \"Kithcen\", of which there is no [[room]]: did you mean \"Kitchen\"?"
        ),
        (
            "[[door]]\nbetween = [\"Hall\", \"Cellar\"]",
            "14: door.between has \"Cellar\", of which there is no [[room]]: write such a table, or another name"
        ),
        ("[[door]]\nbetween = [\"Hall\", \"Hall\"]", "14: door.between has \"Hall\" twice: write two rooms"),
        ("[[door]]\nbetween = [\"Hall\"]", "14: door.between has 1 element: write an array of 2 texts in quotes"),
        (
            "[[door]]\nbetween = [\"Hall\", \"Kitchen\"]\nat_m = [5.5, 1.5]",
            "15: door.at_m is 1.5 m from \"Kitchen\": write a position between the two rooms"
        ),
        (
            "[[gateway]]\nid = \"k\"\nposition_m = [7, 1, 2]",
            "15: gateway.position_m of \"k\" is 1.0 m outside every room of floor 0: correct it, or floor"
        ),
        (
            "[[gateway]]\nid = \"k\"\nroom = \"Attic\"\nposition_m = [-1, 1, 2]",
            "16: gateway.position_m of \"k\" is 1.0 m outside every room of floor 1: correct it, or floor"
        ),
        (
            "[[room]]\nname = \"Pantry\"\npolygon_m = [[3, 2], [4, 2], [4, 3], [3, 3]]",
            "15: room.polygon_m of \"Pantry\" overlaps that of \"Kitchen\" (line 1) by 1.0 m²: correct one of them"
        ),
        (
            "[[room]]\nname = \"Bow\"\nfloor = 2\npolygon_m = [[0, 0], [2, 2], [2, 0], [0, 2]]",
            "16: room.polygon_m crosses itself or has no area: write the corners in their order around the room"
        ),
        (
            "[[room]]\nname = \"Two\"\nfloor = 2\npolygon_m = [[0, 0], [2, 2]]",
            "16: room.polygon_m has 2 elements: write an array of 3 to 200 pairs of numbers from -10000 to 10000"
        ),
    ])
    func `settings that contradict each other are reported with their line`(text: String, published: String) {
        #expect(problems(text) == [published])
    }

    @Test(arguments: [
        "[[gateway]]\nid = \"k\"\nposition_m = [6.2, 1, 2]",
        "[[gateway]]\nid = \"k\"\nroom = \"Garden\"\nposition_m = [20, 1, 2]",
        "[[gateway]]\nid = \"k\"\nfloor = 3\nposition_m = [20, 1, 2]",
        "[[door]]\nbetween = [\"Kitchen\", \"Garden\"]\nat_m = [0, 1]",
        "[[door]]\nbetween = [\"Hall\", \"Attic\"]\nat_m = [5, 1]",
        "[[room]]\nname = \"Pantry\"\npolygon_m = [[3.96, 3], [6, 3], [6, 5], [3.96, 5]]",
    ])
    func `a gateway, door or room that is a little off, or not on the plan, is accepted`(text: String) {
        #expect(problems(text) == [])
    }

    @Test func `a room whose name is wrong is not missed as well`() {
        #expect(published("[[room]]\nname = 5\n[[gateway]]\nid = \"k\"\nroom = \"Hall\"").count == 1)
    }

    @Test func `a site of its own is read without what else stands there`() {
        let read = { (text: String) in
            readSettings(Array(text.utf8), file: "site.toml", otherTables: .ignored) { SiteConfiguration($0) }
        }
        #expect(read(rooms + "[mqtt]\nport = 99999\n[survey]\nx = 1\n").configuration?.rooms.count == 4)
        #expect(
            read("[[rooms]]\nname = \"Hall\"").problems.map(\.description)
                == ["site.toml:1: rooms is not a known table: did you mean [[room]]?"])
    }
}
