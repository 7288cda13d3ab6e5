import Glibc
import TestBroker
import Testing

/// `gateways set`: settings of a gateway, changed from another machine.
@Suite(.enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
struct GatewaySettingsTests {
    @Test func `gateways set changes a gateway that runs, also after its restart, until it is restored, each time`()
        throws
    {
        let site = try Site()
        let observer = try Observer(site.broker)
        try site.aggregatorFile()
        var gateway = try site.startGateway("kitchen", room: "Kitchen")
        func info() -> String { observer.latest["forgetmenot/gateways/kitchen/info"] ?? "" }
        func wait(for words: String) throws { try observer.wait(for: words) { info().contains(words) } }
        for room in ["Pantry", "Wine cellar"] {
            try wait(for: "\"room\":\"Kitchen\"")
            let end = try site.ask("gateways", "set", "kitchen", "room=\(room)", "offset=-3.5", "log=debug")
            #expect(end.status == 0 && end.output == "kitchen has its new settings.\n", "\(end)")
            try gateway.complaint(of: "debug: publish")
            try wait(for: "\"room\":\"\(room)\"")
            #expect(try gateway.ended(by: SIGTERM).status == 0)
            let former = info()
            gateway = try site.startGateway("kitchen", room: "Kitchen")
            try observer.wait(for: "the next run") { info() != former && info().contains("powered_on") }
            try wait(for: "\"room\":\"\(room)\"")
            try wait(for: "\"rssi_offset_db\":-3.5")
            try gateway.complaint(of: "debug: publish")
            let restored = try site.ask("gateways", "set", "kitchen", "room=", "offset=", "log=")
            #expect(restored.status == 0, "\(restored)")
        }
        try wait(for: "\"room\":\"Kitchen\"")
        for (words, status) in [
            (["kitchen", "floor=1"], 64), (["kitchen", "offset=60"], 64), (["kitchen", "log=all"], 64),
            (["kitchen", "room"], 64), (["+", "room=Hall"], 64), (["hall", "room=Hall"], 66),
        ] as [([String], Int32)] {
            let end = try site.ask(["gateways", "set"] + words)
            #expect(end.status == status && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
        }
        for room in [" ", "\u{200B}", "a\nb", "a\u{2028}b", String(repeating: "x", count: 257)] {
            let end = try site.ask("gateways", "set", "kitchen", "room=\(room)")
            #expect(end.status != 0 && end.errors.contains("\"room\" has an invalid form"), "\(end)")
        }
        #expect(try gateway.ended(by: SIGTERM).status == 0)

        // A damaged file is reported once, and set aside.
        let file = site.folder.path("kitchen/settings.json")
        try site.folder.write("{", to: "kitchen/settings.json")
        for isReported in [true, false] {
            let former = info()
            gateway = try site.startGateway("kitchen", room: "Kitchen")
            try observer.wait(for: "the next run") { info() != former && info().contains("powered_on") }
            #expect(try gateway.ended(by: SIGTERM).errors.contains("settings.json is damaged") == isReported)
        }
        #expect(access("\(file).damaged", F_OK) == 0)
    }

    @Test func `setup with a room ends the settings of gateways set, each time`() throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        try site.aggregatorFile()
        let settings = site.folder.path("kitchen/settings.json")
        for _ in 1...2 {
            let former = observer.latest["forgetmenot/gateways/kitchen/info"]
            let gateway = try site.startGateway("kitchen", room: "Kitchen")
            func info() -> String { observer.latest["forgetmenot/gateways/kitchen/info"] ?? "" }
            try observer.wait(for: "the next run") { info() != former && info().contains("powered_on") }
            #expect(info().contains("\"room\":\"Kitchen\""))
            #expect(try site.ask("gateways", "set", "kitchen", "room=Pantry").status == 0)
            #expect(try gateway.ended(by: SIGTERM).status == 0 && access(settings, F_OK) == 0)
            let file = site.folder.path("kitchen.toml")
            let end = try Program.gateway.run(
                "setup", "--room", "Kitchen", "--host", "127.0.0.1", "--no-start", "--config", file)
            #expect(end.output.contains(file) && access(settings, F_OK) != 0, "\(end)")
        }
    }
}
