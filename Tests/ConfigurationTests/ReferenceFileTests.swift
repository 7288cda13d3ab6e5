import AggregatorService
import Broker
import GatewayCore
import GatewayService
import PageConfiguration
import Settings
import SiteCore
import Testing

/// The configuration files of this repository are the reference: the programs read what the files contain.
struct ReferenceFileTests {
    @Test(arguments: Reference.allCases)
    func `a reference is right as it is`(reference: Reference) throws {
        #expect(reference.problems(of: try reference.text()) == [])
    }

    @Test(arguments: Reference.allCases)
    func `a reference is right with every key that is commented out`(reference: Reference) throws {
        #expect(reference.problems(of: try reference.withoutName()) == [])
    }

    @Test(arguments: Reference.allCases)
    func `a reference has every key that its reader knows, and no other`(reference: Reference) throws {
        let text = try reference.uncommented()
        let known = reference.read(Array(text.utf8)).knownKeys
        #expect(Set(known) == Set(keys(of: text)))
        #expect(known.count > 40)
    }

    @Test func `each value of the gateway's reference, uncommented, is the default`() throws {
        let read = { (text: String) in
            readSettings(Array(text.utf8), file: "gateway.toml") { GatewayConfiguration($0, hostName: "pi") }
                .configuration
        }
        #expect(try read(Reference.gateway.text()) == read(""))
    }

    @Test func `each value of the aggregator's reference, uncommented, is the default`() throws {
        let read = { (text: String) in
            readSettings(Array(text.utf8), file: "aggregator.toml") { ServiceConfiguration($0) }.configuration
        }
        #expect(try read(Reference.aggregator.text()) == read(""))
        #expect(
            try read(Reference.aggregator.withoutName())?.aggregator.site.items.first?.item.notify?.afterSeconds == 30)
    }

    @Test func `both are read from disk as they are, for the broker and the site alone as well`() throws {
        #expect(try readGatewayConfiguration(at: Reference.gateway.path, hostName: "pi").id == "pi")
        #expect(
            try readServiceConfiguration(at: Reference.aggregator.path).aggregator.file == Reference.aggregator.path)
        #expect(try readSiteConfiguration(at: Reference.aggregator.path) == SiteConfiguration())
        #expect(try readBrokerSettings(at: Reference.gateway.path).host == "localhost")
        #expect(throws: SettingsError.noSuchFile("/nowhere.toml")) { try readGatewayConfiguration(at: "/nowhere.toml") }
    }

    @Test(arguments: ["0.0.0.0:8124", "192.168.1.5:80", "[::]:8124", "pi:8124", "127.example.org:8124"])
    func `a page that other machines can reach requires a user`(address: String) {
        let page = "[page]\naddress = \"\(address)\"\n"
        let problems = Reference.aggregator.problems(of: page)
        #expect(problems.count == 1 && problems[0].contains("page.address is"), "\(problems)")
        let hash = String(repeating: "00", count: 32)
        let user = "[[page.user]]\nname = \"anna\"\npassword = \"scrypt:14:\(hash):\(hash)\"\n"
        #expect(Reference.aggregator.problems(of: page + user) == [])
        #expect(Reference.aggregator.problems(of: page + "enabled = false\n") == [])
    }

    @Test(arguments: [
        "address = \"8124\"", "address = \"::1:8124\"", "address = \"localhost:99999\"", "base_path = \"page\"",
        "base_path = \"/../\"", "frame_ancestors = [\"*\"]", "frame_ancestors = [\"http://x/; script-src *\"]",
        "[[page.user]]\nname = \"anna\"\npassword = \"secret\"",
        "[[page.token]]\nname = \"x\"\nsha256 = \"00\"",
    ])
    func `a mistake in the page's table is one problem`(line: String) {
        #expect(Reference.aggregator.problems(of: "[page]\n\(line)\n").count == 1)
    }

    @Test func `five different mistakes are five lines`() throws {
        var lines = try Reference.gateway.text().split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init)
        var expected: [Int] = []
        for (key, mistake) in [
            ("port = 1883", "port = 99999"), ("version = \"5\"", "version = 5"),
            ("interface = \"auto\"", "interfase = \"auto\""), ("heartbeat = \"10s\"", "heartbeat = 10s"),
            ("exit_after = \"auto\"", "exit_after = \"often\""),
        ] {
            let line = try #require(lines.firstIndex(of: key))
            lines[line] = mistake
            expected.append(line + 1)
        }
        let found = Reference.gateway.problems(of: lines.joined(separator: "\n"))
        #expect(found.map { $0.split(separator: ":")[1] } == expected.map { "\($0)" })
        #expect(found[2].hasSuffix("radio.interfase is not a known key: did you mean radio.interface?"))
    }

    /// The keys of a text that has one in each line, with their tables.
    private func keys(of text: String) -> [String] {
        var table = ""
        return text.split(separator: "\n").compactMap { line in
            if line.first == "[" {
                table = line.filter { $0 != "[" && $0 != "]" } + "."
            } else if line.first != "#", let equals = line.firstIndex(of: "=") {
                return table + line[..<equals].filter { $0 != " " }
            }
            return nil
        }
    }
}
