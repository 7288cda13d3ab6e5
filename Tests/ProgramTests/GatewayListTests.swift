import Beacons
import Glibc
import Linux
import Messages
import TestBroker
import Testing

/// `gateways list`: what gateways report of themselves and of their machines.
@Suite(.enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
struct GatewayListTests {
    private func info(_ version: String, _ machine: GatewayInfo.Machine?) -> GatewayInfo {
        GatewayInfo(
            gateway: "attic", room: "Attic", version: version,
            stamp: Stamp(at: Clock.wall, boot: Boot("17.kfqx")!, uptime: .zero, isClockSynchronised: false),
            radio: .init(source: "bluez:hci0", interface: "monitor", state: .poweredOn), machine: machine, regions: 0)
    }

    /// The words of a gateway's row.
    private func row(of id: String, at site: Site) throws -> String {
        let row = try site.ask("gateways", "list").outputLines.first { $0.hasPrefix(id) }
        return try #require(row).split(separator: " ").joined(separator: " ")
    }

    @Test func `gateways list shows each gateway's machine and whether its program is outdated, as it is now`() throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        let aggregator = try site.startAggregator()
        try observer.wait(forAllOf: ["forgetmenot/aggregator/info"])
        let gateway = try site.startGateway("kitchen", room: "Kitchen")
        try observer.wait(forAllOf: ["forgetmenot/gateways/kitchen/info"])
        for (isWeak, power) in [(true, "too weak"), (false, "good"), (true, "too weak"), (false, "good")] {
            let machine = GatewayInfo.Machine(freeBytes: 11_900_000_000, temperature: 51.6, isUndervolted: isWeak)
            try observer.publish([
                ("forgetmenot/gateways/attic/availability", "online", true),
                (
                    "forgetmenot/gateways/attic/info", String(decoding: info("0.0.9", machine).bytes, as: UTF8.self),
                    true
                ),
            ])
            let row = try row(of: "attic", at: site)
            #expect(row.hasSuffix("0.0.9 (outdated) monitor not synchronised 11900 MB 52 °C \(power)"), "\(row)")
            let json = try site.ask("gateways", "list", "--json")
            #expect(
                json.output.contains(
                    #""outdated":true,"interface":"monitor","clock_synchronised":false,"disk_free_bytes":11900000000,"#
                        + #""temperature_c":51.6,"undervoltage":\#(isWeak)"#), "\(json)")
        }
        // A gateway that runs here, and one that reports nothing of its machine.
        try observer.publish([
            ("forgetmenot/gateways/attic/info", String(decoding: info("10.0.0", nil).bytes, as: UTF8.self), true)
        ])
        #expect(try row(of: "attic", at: site).hasSuffix("10.0.0 monitor not synchronised - - -"))
        #expect(try row(of: "kitchen", at: site).contains(" MB "))
        #expect(try row(of: "kitchen", at: site).hasPrefix("kitchen Kitchen working simulation "))
        try observer.publish([("forgetmenot/gateways/attic/availability", "offline", true)])
        #expect(try row(of: "attic", at: site).hasPrefix("attic Attic offline bluez:hci0 "))
        for program in [gateway, aggregator] { #expect(try program.ended(by: SIGTERM).status == 0) }
    }

    @Test func `nearby shows the room that the aggregator's configuration gives to a gateway`() throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        let file = try site.aggregatorFile(page: Site.noPage + "[[gateway]]\nid = \"kitchen\"\nroom = \"Pantry\"\n")
        let aggregator = try Program.aggregator.start("run", "--config", file)
        let gateway = try site.startGateway("kitchen", room: "Kitchen")
        try observer.wait(for: "the gateway's room") {
            observer.latest["forgetmenot/aggregator/info"]?.contains("\"room\":\"Pantry\"") == true
        }
        var nearby = try site.ask("nearby", "--json")
        // A gateway has to have received something first.
        for _ in 0..<50 where !nearby.output.contains("\"major\"") { nearby = try site.ask("nearby", "--json") }
        for words in [["nearby", "--json"], ["nearby"], ["nearby"]] {
            let shown = try site.ask(words).output
            #expect(shown.contains("Pantry") && !shown.contains("Kitchen"), "\(shown)")
        }
        for program in [gateway, aggregator] { #expect(try program.ended(by: SIGTERM).status == 0) }
    }
}
