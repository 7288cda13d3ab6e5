import Beacons
import Glibc
import TestBroker
import Testing

/// What anybody on the broker may publish.
@Suite(.enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
struct HostileTests {
    /// No payload of anything, or one beyond every range.
    private static let nonsense = [
        "{", "null", "[]", "\"\"", "\u{0}", "{\"v\":2}", "{\"v\":1}",
        "{\"v\":1,\"revision\":18446744073709551615,\"items\":[],\"regions\":[]}",
        "{\"v\":1,\"revision\":9007199254740992,\"items\":[\"nobody\"],\"regions\":[]}",
        "{\"v\":1,\"state\":\"inside\",\"since\":\"9999-12-31T23:59:60Z\",\"uptime_ms\":-9223372036854775808,\"boot\":\"0.aaaa\"}",
        "{\"boot\":\"1.aaaa\",\"from_seq\":18446744073709551615,\"to_seq\":0}",
        "{\"boot\":\"1.aaaa\",\"from_seq\":0,\"to_seq\":9223372036854775807}",
        "{\"name\":\"\",\"uuid\":\"\",\"major\":1e308,\"minor\":-1}",
        String(repeating: "[", count: 100_000),
    ]

    private static let topics = [
        "gateways/kitchen/request/beacons", "gateways/kitchen/request/events", "gateways/kitchen/request/regions/state",
        "gateways/kitchen/request/nonsense", "gateways/kitchen/request/a/b/c/d", "gateways/other/availability",
        "gateways/other/info", "gateways/kitchen/info", "beacons/\(Site.violin)/kitchen/proximity",
        "beacons/\(Site.violin)/other/event", "beacons/0/0/0/0/event", "regions/house/other/state",
        "regions/house/other/event", "registry/items/violin", "registry/items/nobody", "registry/regions/nobody",
        "registry/manifest", "items/violin/location", "items/nobody/notification", "items/violin/request/acknowledge",
        "rooms/kitchen/occupancy",
        "aggregator/request/items/add", "aggregator/request/items/remove", "aggregator/request/gateways/remove",
        "aggregator/request/events", "aggregator/request/nonsense",
    ]

    @Test func `both programs survive any message on any topic, retained or not, and publish the true state again`()
        throws
    {
        let site = try Site()
        let observer = try Observer(site.broker)
        let programs = [
            try site.startAggregator(["Violin": Site.violin]),
            try site.startGateway("kitchen", room: "Kitchen", more: Site.region),
        ]
        try observer.wait(forItem: "violin", "\"presence\":\"home\"")
        for topic in Self.topics {
            let topic = "forgetmenot/" + topic
            try observer.publish(
                Self.nonsense.flatMap { [(topic, $0, false), (topic, $0, true)] } + [(topic, "", true)])
        }

        // Both are asked something sensible at last.
        try observer.publish([
            ("forgetmenot/gateways/kitchen/request/regions/state", "{\"transaction\":\"last\"}", false)
        ])
        try observer.wait(for: "the gateway's answer") {
            observer.latest["forgetmenot/gateways/kitchen/response/regions/state"]?.contains("\"last\"") == true
        }
        let added = try site.ask(
            "items", "add", "Cat", "--uuid", "\(Site.cat.uuid)", "--major", "1", "--minor", "9")
        #expect(added.status == 0, "\(added)")
        try observer.wait(forItem: "cat", "\"presence\":\"home\"")
        // If more came than could be read, it is published again a little later.
        try observer.wait(for: "the violin's entry") {
            observer.latest["forgetmenot/registry/items/violin"]?.contains("\"Violin\"") == true
        }
        let listed = try site.ask("items", "list", "--json")
        #expect(
            listed.status == 0 && listed.output.contains("\"Violin\"") && !listed.output.contains("nobody"), "\(listed)"
        )
        for program in programs {
            let end = try program.ended(by: SIGTERM)
            #expect(end.status == 0 && !end.hasCrashed, "\(end)")
        }
    }

    @Test(arguments: [
        ("forgetmenot/gateways/kitchen/availability", "maybe"), ("forgetmenot/gateways/kitchen/info", "{\"v\":1}"),
        ("forgetmenot/kitchen", "online"), ("forgetmenot/gateways/kitchen/telemetry", ""),
        ("forgetmenot/aggregator/request/events", "events!"),
        ("forgetmenot/items/violin/request/acknowledge", "{\"kind\":\"lwo\"}"),
    ])
    func `these tests would notice a message that the reference does not have`(topic: String, text: String) {
        #expect(Contract.breach(topic: topic, payload: Array(text.utf8)) != nil)
    }
}
