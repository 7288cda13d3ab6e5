import Beacons
import Foundation
import Linux
import Simulation
import SimulationTestSupport
import Testing

/// What `make run` shows.
struct DemoTests {
    private static let folder =
        "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/deploy/demo"

    @Test func `the demo's rooms and gateways are those of the simulated house`() throws {
        let text = String(decoding: try readFile(at: "\(Self.folder)/site.toml"), as: UTF8.self)
        for table in House(seed: 1).site.split(separator: "\n\n") where !table.hasPrefix("[[item]]") {
            #expect(text.contains(table.trimming("\n")), "\(table)")
        }
    }

    @Test func `the demo's items are the tags of the simulated house, and its people carry what leaves together`()
        throws
    {
        struct Item: Decodable {
            var name: String, uuid: String, major: UInt16, minor: UInt16, owners: [String]?, needed: String?
        }
        let items = try JSONDecoder().decode([Item].self, from: Data(try readFile(at: "\(Self.folder)/items.json")))
        let house = House(seed: 1)
        #expect(
            items.map { "\($0.uuid) \($0.major) \($0.minor)" }
                == house.tags.map { "\($0.beacon.uuid) \($0.beacon.major) \($0.beacon.minor)" })
        for (item, tag) in zip(items, house.tags) where item.owners != nil {
            // What is carried is somebody's phone or keys; what is still can be forgotten.
            let carrier = if case .carried(let person, _, _) = tag.transmitter.motion { person } else { nil as Int? }
            #expect((item.needed == nil) == (carrier != nil), "\(item.name)")
            guard let carrier else { continue }
            #expect(item.owners == [["anna", "ben", "cleo"][carrier]], "\(item.name)")
        }
    }

    @Test func `in the demo Anna goes out after half a minute, the others stay, and the violin stays in the bedroom`()
        throws
    {
        let script = String(decoding: try readFile(at: "\(Self.folder)/run.sh"), as: UTF8.self)
        let line = try #require(script.split(separator: "\n").first { $0.hasPrefix("scene=") })
        let start = HouseTime(try #require(WallTime(String(line.dropFirst("scene=".count)))))
        let house = House(seed: 1)
        var positions = HousePositions(house)
        func room(_ tag: Int, _ seconds: Int) -> String? {
            positions.room(ofTag: tag, at: start + .seconds(Double(seconds))).map { house.plan.rooms[$0].name }
        }
        let (anna, ben, cleo, violin) = (0, 1, 4, 7)
        #expect((0..<25).allSatisfy { room(anna, $0) != nil } && (31..<200).allSatisfy { room(anna, $0) == nil })
        #expect((0..<200).allSatisfy { room(ben, $0) != nil && room(cleo, $0) != nil })
        #expect(room(violin, 0) == "Bedroom" && room(anna, 0) == "Bedroom")
    }

    @Test func `the demo starts each gateway of its plan`() throws {
        let script = String(decoding: try readFile(at: "\(Self.folder)/run.sh"), as: UTF8.self)
        for gateway in House(seed: 1).gateways {
            #expect(script.contains("\"\(gateway.id) \(gateway.room)\""))
        }
    }

    @Test func `the demo installs the program that it suggests`() throws {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        func text(_ name: String) throws -> String {
            String(decoding: try readFile(at: "\(root)/deploy/\(name)"), as: UTF8.self)
        }
        try #require(text("demo/run.sh").contains("mosquitto_sub"))
        let line = try text("dependencies.sh").split(separator: "\n").first { $0.contains(" run) ") }
        #expect(line?.contains("mosquitto-clients") == true)
    }
}

extension Substring {
    /// The text without `character` at its end.
    fileprivate func trimming(_ character: Character) -> String {
        var text = self
        while text.last == character { text.removeLast() }
        return String(text)
    }
}
