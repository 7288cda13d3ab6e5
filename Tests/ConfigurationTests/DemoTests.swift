import AggregatorService
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
}
