import SiteCore
import AggregatorService
import Linux
import Simulation
import Testing

/// What `make run` shows.
struct DemoTests {
    @Test func `the demo's items are the tags of the simulated house`() throws {
        let path = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/deploy/demo/items.toml"
        let site = try readSiteConfiguration(at: path)
        let house = House(seed: 1)
        #expect(site.items.map(\.name) == house.tags.map(\.name))
        #expect(site.items.map(\.identity) == house.tags.map(\.beacon))
    }

    @Test func `the demo's plan is that of the simulated house`() throws {
        let path = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/deploy/demo/items.toml"
        let text = String(decoding: try readFile(at: path), as: UTF8.self)
        let tables = House(seed: 1).site.split(separator: "\n\n").map { $0.trimming("\n") }
        let started = ["kitchen", "hall", "bedroom"]
        for table in tables
        where !table.hasPrefix("[[gateway]]") || started.contains(where: { table.contains("id = \"\($0)\"") }) {
            #expect(text.contains(table), "\(table)")
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
