import Beacons
import Settings
import Testing

@testable import SiteCore

/// What aggregator.toml may contain beside its site, and the problems that are reported for what it may not.
struct AggregatorConfigurationTests {
    @Test func `an empty file means a broker on this machine and a site without discovery`() throws {
        let configuration = try #require(aggregator(""))
        #expect(configuration.file == "/etc/forgetmenot/aggregator.toml")
        #expect(
            configuration.stateDirectory == "/var/lib/forgetmenot" && configuration.broker.clientID == "forgetmenot")
        #expect(configuration.site == SiteConfiguration() && configuration.regions.isEmpty)
        #expect(configuration.notifyCommand == nil)
    }

    @Test func `the line of a region is stored`() throws {
        let regions = try #require(aggregator("\n[[region]]\nidentifier = \"Bags\"\nuuid = \"\(uuid)\"")?.regions)
        #expect(regions.map(\.line) == [2] && regions.map(\.region.id) == ["bags"])
    }

    @Test func `one of several aggregators has a client id of its own, and shares one with the others`() {
        let configuration = aggregator("[standby]\nname = \"left\"\n[mqtt]\nclient_id = \"site\"\n")
        #expect(configuration?.standby == StandbySettings(name: "left"))
        #expect(configuration?.broker.clientID == "site-left")
        #expect(configuration?.sharedClientID == "site")
        #expect(
            aggregator("[standby]\nname = \"left\"\nsecret_file = \"s\"\n")?.standby?.secretFile == "/etc/forgetmenot/s"
        )
        #expect(published("[standby]\n").first?.contains("standby.name is missing") == true)
        #expect(published("[standby]\nname = \"Left one\"\n").count == 1)
    }

    @Test func `a notification runs a program with its arguments`() throws {
        let command = try #require(
            aggregator("[notify]\ncommand = [\"/bin/tell\", \"a b\"]\ntime_limit = \"1m\"")?.notifyCommand)
        #expect(command.words == ["/bin/tell", "a b"] && command.timeLimit == .seconds(60))
        #expect(aggregator("[notify]\ncommand = [\"/bin/tell\"]")?.notifyCommand?.timeLimit == .seconds(10))
        #expect(
            published("[notify]") == [
                "aggregator.toml:1: notify.command is missing: write an array of 1 to 64 texts, the program and its arguments, like [\"/usr/bin/logger\", \"-t\", \"keys\"]"
            ])
        #expect(
            published("[notify]\ncommand = \"/bin/tell\"")[0].contains(
                "is the text \"/bin/tell\": write an array of 1 to 64 texts"))
        #expect(published("[notify]\ncommand = []")[0].contains("has 0 elements"))
    }
}

let uuid = "f7826da6-4fa2-4e98-8024-bc5b71e0893e"

/// The configuration that `text` is; `nil` where it has a problem.
func aggregator(_ text: String) -> AggregatorConfiguration? {
    readSettings(Array(text.utf8), file: "/etc/forgetmenot/aggregator.toml") { AggregatorConfiguration($0) }
        .configuration
}

/// The problems of `text`, as they are printed.
func published(_ text: String) -> [String] {
    readSettings(Array(text.utf8), file: "aggregator.toml") { AggregatorConfiguration($0) }.problems.map(\.description)
}
