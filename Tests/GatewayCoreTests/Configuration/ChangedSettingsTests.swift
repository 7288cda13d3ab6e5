import Messages
import Settings
import Testing

@testable import GatewayCore

/// Settings that a request has changed, beside a gateway.toml that people edit.
struct ChangedSettingsTests {
    private func file(_ room: String, offset: Double = 0) -> GatewayConfiguration {
        var configuration = GatewayConfiguration(hostName: "attic")
        (configuration.room, configuration.ranging.rssiOffset) = (room, offset)
        return configuration
    }

    private func change(_ json: String) throws -> GatewayChange {
        try Request(parsing: Array(json.utf8)).body()
    }

    /// The settings as they are read at the next start.
    private func stored(_ configuration: GatewayConfiguration) throws -> ChangedSettings {
        try ChangedSettings(parsing: configuration.changed.bytes)
    }

    @Test func `a changed setting counts after a restart, and is changed and restored again`() throws {
        var configuration = file("Attic", offset: -2.345)
        for room in ["Pantry", "Cellar"] {
            configuration = configuration.applying(try change(#"{"room":"\#(room)","log_level":"debug"}"#))
            configuration = file("Attic", offset: -2.345).with(try stored(configuration))
            #expect(configuration.room == room && configuration.log.level == .debug)
            #expect(configuration.ranging.rssiOffset == -2.345)
        }
        for offset in [4.5, 0] {
            configuration = configuration.applying(try change(#"{"rssi_offset_db":\#(offset)}"#))
            configuration = file("Attic", offset: -2.345).with(try stored(configuration))
            #expect(configuration.ranging.rssiOffset == offset && configuration.room == "Cellar")
        }
        for _ in 0..<2 {
            configuration = configuration.applying(try change(#"{"room":null,"rssi_offset_db":null,"log_level":null}"#))
            #expect(configuration.room == "Attic" && configuration.log.level == .info)
            #expect(abs(configuration.ranging.rssiOffset + 2.345) < 0.01)
            #expect(try stored(configuration) == ChangedSettings())
        }
    }

    @Test func `a setting that somebody edits in the file afterwards counts, and stays when it is edited back`() throws
    {
        for _ in 0..<2 {
            var configuration = file("Attic").applying(try change(#"{"room":"Pantry","rssi_offset_db":3}"#))
            configuration = file("Hall").with(configuration.changed)
            #expect(configuration.room == "Hall" && configuration.ranging.rssiOffset == 3)
            configuration = file("Attic").with(try stored(configuration))
            #expect(configuration.room == "Attic" && configuration.ranging.rssiOffset == 3)
        }
    }

    @Test(arguments: [
        "{}", #"{"room":5}"#, #"{"rssi_offset_db":51}"#,
        #"{"rssi_offset_db":"3"}"#, #"{"log_level":"loudest"}"#, #"{"id":"hall"}"#,
    ])
    func `a request that changes nothing, or to an invalid value, is refused`(json: String) {
        #expect(throws: PayloadRefusal.self) { try change(json) }
    }

    @Test func `a misspelt setting is named with the one that was probably meant, also if there is no other`() {
        for json in [#"{"rom":"Attic"}"#, #"{"rom":"Attic","log_level":"debug"}"#] {
            #expect(throws: PayloadRefusal.unknown("rom", meant: "room")) {
                try GatewayChange(requestedBy: Request(parsing: Array(json.utf8)).arguments)
            }
        }
    }

    @Test func `a request knows the levels of a log`() {
        #expect(GatewayChange.Values.levels == LogLevel.allCases.map(\.rawValue))
    }

    @Test func `a gateway publishes with the room of the request at once, and refuses another request`() {
        var gateway = TestGateway()
        gateway.connect()
        for (seconds, room) in [(1.0, "Pantry"), (2, "Cellar")] {
            gateway.ask("settings", #"{"room":"\#(room)"}"#, at: seconds)
            gateway.ask("settings", #"{"room":""}"#, at: seconds)
            gateway.ask("settings", #"{"room":"Hall"}"#, retained: true, at: seconds)
            gateway.advance(to: seconds)
            let infos = gateway.states(on: .gatewayInfo(gateway: "kitchen"), GatewayInfo.self)
            #expect(infos.last?.room == room)
        }
        #expect(gateway.pipeline.configuration.changed.values.room == "Cellar")
    }
}
