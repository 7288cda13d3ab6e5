import Beacons
import EventLogs
import Ranging
import Settings
import Testing

@testable import GatewayCore

/// What gateway.toml may contain, and the problems that are reported for what it may not.
struct GatewayConfigurationTests {
    @Test func `an empty file is a gateway with this host's name, on hci0, with a broker beside it`() throws {
        let configuration = try #require(gateway(""))
        #expect(configuration.id == "pi-3")
        #expect(configuration.room == "pi-3")
        #expect(configuration.stateDirectory == "/var/lib/forgetmenot-gateway")
        #expect(configuration.broker.clientID == "pi-3")
        #expect(configuration.radio == RadioSettings())
        #expect(configuration.ranging == RangingSettings())
        #expect(configuration.monitoring == MonitoringSettings())
        #expect(configuration.regions.isEmpty && configuration.beacon == nil)
    }

    @Test func `the event log's size is at most what its segments can have`() {
        let most = (Catalogue.mostSegments * EventWriter.segmentBytes) >> 20
        #expect(LogSettings.mostMegabytes == most)
        #expect(gateway("[log]\nsize_mb = \(most - 1)")?.log.megabytes == most - 1)
        // Files with more were accepted before, and are no reason not to start.
        #expect(gateway("[log]\nsize_mb = 4096")?.log.megabytes == most)
    }

    @Test func `no beacon can be sent by an adapter that is the radio's alone`() {
        let beacon = "[beacon]\nuuid = \"f7826da6-4fa2-4e98-8024-bc5b71e0893e\"\n"
        #expect(gateway(beacon)?.beacon != nil)
        #expect(
            reported("[radio]\ninterface = \"user\"\n" + beacon) == [
                "gateway.toml:3: the beacon cannot be sent while radio.interface is \"user\": write \"auto\" there"
            ])
    }

    @Test func `the id is the client id, and the room's name where none is written`() throws {
        let configuration = try #require(gateway("id = \"kitchen\""))
        #expect(configuration.room == "kitchen" && configuration.broker.clientID == "kitchen")
        #expect(gateway("room = \"Küche\"")?.room == "Küche")
    }

    @Test(arguments: [
        ("Kitchen-Pi", "kitchen-pi"), ("pi.lan", "pi.lan"), ("--Pi  4--", "pi-4"),
        (String(repeating: "a", count: 80), String(repeating: "a", count: 64)),
    ])
    func `a host's name is made an id`(host: String, id: String) {
        #expect(gateway("", hostName: host)?.id == id)
    }

    @Test func `where the host has no name that makes an id, one has to be written`() {
        #expect(
            reported("", hostName: "??") == [
                "gateway.toml: id cannot be made from the host's name: write one like \"kitchen\""
            ])
        #expect(gateway("id = \"kitchen\"", hostName: "")?.id == "kitchen")
        #expect(reported("id = \"Kitchen\"", hostName: "").count == 1)
    }

    @Test(arguments: [
        ("bluez:hci1", RadioSource.bluez(.index(1))),
        ("bluez:b8:27:eb:00:00:01", .bluez(.address(DeviceAddress(bits: 0xB827_EB00_0001, kind: .public)))),
        ("capture:/a b.btsnoop", .capture("/a b.btsnoop")), ("simulation", .simulation),
        ("capture:a.btsnoop", .capture("/etc/forgetmenot/a.btsnoop")),
    ])
    func `a radio is an adapter, a recording or a simulated house`(written: String, source: RadioSource) {
        #expect(gateway("[radio]\nsource = \"\(written)\"")?.radio.source == source)
    }

    @Test func `a pause is shortened unless several recordings are to stay in step`() {
        func gapLimit(_ lines: String) -> Interval? { gateway("[radio]\n" + lines)?.radio.gapLimit }
        let moment = "start_at = \"2026-11-21T05:40:00Z\"\n"
        #expect(gapLimit("") == .seconds(60))
        #expect(gapLimit(moment) == nil)
        #expect(gapLimit(moment + "gap_limit = \"5s\"") == .seconds(5))
    }

    @Test(arguments: [
        "", "bluez", "bluez:", "bluez:hci", "bluez:hci01", "bluez:hci+1", "bluez:hci65536", "bluez:00:11", "capture:",
        "simulation:1", "hci0", "Simulation",
    ])
    func `a radio source that names no radio is refused`(written: String) {
        #expect(
            reported("[radio]\nsource = \"\(written)\"") == [
                "gateway.toml:2: radio.source is \"\(written)\": write \"bluez:hci0\", \"bluez:B8:27:EB:00:00:01\", "
                    + "\"capture:FILE.btsnoop\" or \"simulation\""
            ])
    }

    @Test func `a recording is played as configured`() throws {
        let radio = try #require(
            gateway(
                """
                [radio]
                speed = "fast"
                at_end = "loop"
                start_at = 2026-11-21T05:40:00Z
                gap_limit = "1h"
                seed = 9223372036854775807
                interface = "raw"
                """)?.radio)
        #expect(radio.speed == .fast && radio.atEnd == .loop && radio.interface == .raw)
        #expect(radio.startAt == WallTime("2026-11-21T05:40:00Z") && radio.gapLimit == .seconds(3600))
        #expect(radio.seed == 9_223_372_036_854_775_807)
    }

    @Test func `a scan is at full duty unless a window is written`() {
        #expect(gateway("[radio]\nscan_interval = \"100ms\"")?.radio.scanWindow == .milliseconds(100))
        #expect(gateway("[radio]\nscan_window = \"11.25ms\"")?.radio.scanWindow == Interval(nanoseconds: 11_250_000))
        #expect(
            reported("[radio]\nscan_window = \"100ms\"") == [
                "gateway.toml:2: radio.scan_window is \"100ms\": write at most scan_interval, which is \"60ms\""
            ])
        #expect(reported("[radio]\nscan_window = \"100ms\"\nscan_interval = 200").count == 1)
        #expect(reported("[radio]\nscan_interval = \"2ms\"")[0].contains("from \"2.5ms\" to \"10240ms\""))
    }

    @Test(arguments: [
        ("filter = \"median\"\nfilter_window = \"3s\"", Filter.median(window: .seconds(3))),
        ("filter = \"kalman\"\nfilter_drift = 1\nfilter_noise = 2.5", .kalman(drift: 1, noise: 2.5)),
        ("filter = \"none\"", Filter.none), ("filter_noise = 10", .kalman(drift: 2, noise: 10)), ("", .standard),
    ])
    func `a filter has its parameters`(text: String, filter: Filter) {
        #expect(gateway("[ranging]\n\(text)")?.ranging.filter == filter)
    }

    @Test(arguments: [
        ("path_loss = \"log_distance\"\npath_loss_exponent = 3", PathLoss.logDistance(exponent: 3)),
        ("path_loss = \"altbeacon\"", .altBeacon), ("", .standard),
        ("path_loss_exponent = 2", .room(exponent: 2, knee: 8)),
        ("path_loss = \"room\"\npath_loss_knee_m = 20", .room(exponent: 1.6, knee: 20)),
        (
            "path_loss = \"inverse_regression\"\npath_loss_intercept = 0.35\npath_loss_slope = 0.04",
            .inverseRegression(intercept: 0.35, slope: 0.04)
        ),
    ])
    func `a path-loss model has its parameters`(text: String, model: PathLoss) {
        #expect(gateway("[ranging]\n\(text)")?.ranging.pathLoss == model)
    }

    @Test func `a regression without coefficients is a guess, and refused`() {
        #expect(
            reported("[ranging]\npath_loss = \"inverse_regression\"") == [
                "gateway.toml:1: ranging.path_loss_intercept is missing: write a number from -10 to 10",
                "gateway.toml:1: ranging.path_loss_slope is missing: write a number from 0.001 to 1",
            ])
    }

    @Test func `a regression by which the weaker is the nearer is refused`() {
        #expect(
            reported("[ranging]\npath_loss_slope = -0.04") == [
                "gateway.toml:2: ranging.path_loss_slope is -0.04: write a number from 0.001 to 1"
            ])
    }

    @Test func `an exit is automatic at a rate, or after a fixed silence`() {
        #expect(gateway("[monitoring]\nexit_after = \"30s\"")?.monitoring.monitor.exitAfter == .fixed(.seconds(30)))
        let automatic = gateway("[monitoring]\nfalse_exits_per_day = 1")?.monitoring
        #expect(automatic?.monitor.exitAfter == .auto(falseExitsPerDay: 1))
        #expect(
            reported("[monitoring]\nexit_after = \"never\"") == [
                "gateway.toml:2: monitoring.exit_after is \"never\": write \"auto\", or a duration from \"1s\" to \"1d\""
            ])
        #expect(gateway("[monitoring]\nenter_rssi_dbm = -127")?.monitoring.monitor.enterRSSI == RSSI(dBm: -127))
    }

    @Test func `a gateway may be a beacon`() throws {
        let uuid = "f7826da6-4fa2-4e98-8024-bc5b71e0893e"
        let beacon = try #require(gateway("[beacon]\nuuid = \"\(uuid)\"\nminor = 7\ninterval = \"1s\"")?.beacon)
        #expect(beacon.identity == BeaconIdentity(uuid: try #require(BeaconUUID(uuid)), major: 0, minor: 7))
        #expect(beacon.measuredPower.dBm == -59 && beacon.interval == .seconds(1))
        #expect(reported("[beacon]")[0].hasPrefix("gateway.toml:1: beacon.uuid is missing"))
    }
}

/// The configuration that `text` is; `nil` where it has a problem.
func gateway(_ text: String, hostName: String = "pi-3") -> GatewayConfiguration? {
    readSettings(Array(text.utf8), file: "/etc/forgetmenot/gateway.toml") {
        GatewayConfiguration($0, hostName: hostName)
    }.configuration
}

/// The problems of `text`, as they are printed.
func reported(_ text: String, hostName: String = "pi-3") -> [String] {
    readSettings(Array(text.utf8), file: "gateway.toml") { GatewayConfiguration($0, hostName: hostName) }
        .problems.map(\.description)
}
