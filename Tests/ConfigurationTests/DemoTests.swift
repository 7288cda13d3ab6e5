import SiteCore
import AggregatorService
import Linux
import Simulation
import Testing

/// What `make run` shows.
struct DemoTests {
    @Test func `the demo's things are the tags of the simulated house`() throws {
        let path = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/deploy/demo/items.toml"
        let items = try readSiteConfiguration(at: path).items
        let tags = House(seed: 1).tags
        #expect(items.map(\.name) == tags.map(\.name))
        #expect(items.map(\.identity) == tags.map(\.beacon))
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
