import Foundation
import Linux
import Simulation
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

    @Test func `the demo's items are the tags of the simulated house`() throws {
        struct Item: Decodable, Equatable {
            var name: String, uuid: String, major: UInt16, minor: UInt16
        }
        let items = try JSONDecoder().decode([Item].self, from: Data(try readFile(at: "\(Self.folder)/items.json")))
        let tags = House(seed: 1).tags.map {
            Item(name: $0.name, uuid: "\($0.beacon.uuid)", major: $0.beacon.major, minor: $0.beacon.minor)
        }
        #expect(items == tags)
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
