import Beacons
import Glibc
import HCI
import Linux
import Messages
import TestBroker
import Testing

/// The aliases of an item on a locked broker, from the user who publishes them to the gateway that receives the item by them.
@Suite(
    .enabled(if: TestBroker.isInstalled && isProgramInstalled("mosquitto_passwd"), "skipped: no mosquitto here"))
struct AliasTests {
    private static let item = BeaconIdentity(uuid: Site.violin.uuid, major: 0, minor: 7)
    private static let topic = Topic.itemAliases(item: "car-key").name(under: .standard)
    private static let address = "C6:05:04:03:02:01"

    /// A recording of one second that repeats: a tag of a finder network sends ten times.
    private static var recording: [UInt8] {
        let data: [UInt8] = [2, 1, 6, 9, 0x16, 0xAA, 0xFE, 0x41, 0xB5, 0xE0, 0xA1, 0xC2, 0xD3]
        // 04 3E length 02 reports { eventType addressType address[6] dataLength data[] rssi }
        let report: [UInt8] = [0x02, 0x01, 0x03, 0x01, 1, 2, 3, 4, 5, 0xC6, UInt8(data.count)] + data + [0xC4]
        let packet = [0x04, 0x3E, UInt8(report.count)] + report
        var file = BtsnoopWriter.header
        for turn in 0..<10 {
            BtsnoopWriter.append(packet.span.bytes, at: CaptureTime(microseconds: Int64(turn) * 100_000), to: &file)
        }
        return file
    }

    @Test func `a user publishes the aliases of an item, which is there by them until they are withdrawn, twice`()
        throws
    {
        let broker = try LockedBroker()
        let (folder, anna) = (broker.folder, try Observer(broker.asUser("anna")))
        try folder.write(
            "state_directory = \"aggregator\"\n" + Site.noPage + "[[item]]\nname = \"Car key\"\n" + Self.item.toml,
            to: "aggregator.toml")
        #expect(try broker.setUp([]).status == 0)
        try replaceFile(at: folder.path("tag.btsnoop"), with: Self.recording)
        let file = try folder.write(
            "id = \"hall\"\nroom = \"Hall\"\nstate_directory = \"hall\"\n[mqtt]\nport = \(broker.gatewayPort)\n"
                + "username = \"hall\"\npassword_file = \"secrets/hall.password\"\n[monitoring]\nexit_after = \"10s\"\n"
                + "[log]\nlevel = \"debug\"\n[radio]\nsource = \"capture:tag.btsnoop\"\nat_end = \"loop\"\n",
            to: "hall.toml")
        let aggregator = try Program.aggregator.start("run", "--config", folder.path("aggregator.toml"))
        let hall = try Program.gateway.start("run", "--config", file)
        let events = Topic.beaconEvent(Self.item, gateway: "hall").name(under: .standard)
        for sign in [
            "\"address\":\"\(Self.address)\"", "\"service_uuid\":\"feaa\",\"service_data\":\"41b5e0a1\"",
        ] {
            let alias = "{\"aliases\":[{\(sign),\"until\":\"2999-01-01T00:00:00Z\"}]}"
            try anna.publish(Self.topic, Array(alias.utf8), retain: true)
            try anna.wait(forItem: "car-key", #""presence":"home""#)
            try anna.publish(Self.topic, [], retain: true)
            try anna.wait(forItem: "car-key", #""presence":"unknown""#)
        }
        #expect(anna.seen.count { $0.topic == events } == 1, "it entered, and never left")
        _ = try aggregator.ended(by: SIGTERM)
        let end = try hall.ended(by: SIGTERM)
        #expect(end.errors.contains("received \(Self.topic)") && !end.errors.contains(Self.address), "\(end)")
        #expect(!end.errors.contains("41b5e0a1"), "\(end)")
    }

    @Test func `a gateway has no aliases on a broker whose rules do not let it read them`() throws {
        let broker = try LockedBroker([
            .init(file: "gateways.acl", line: "pattern read forgetmenot/items/+/aliases")
        ])
        let anna = try Visitor(broker.asUser("anna"), reading: [Self.topic])
        let hall = try Visitor(broker.asGateway("hall"), reading: [Self.topic, "forgetmenot/gateways/hall/request/#"])
        #expect(try anna.publish(Self.topic))
        // The broker sends what it received first.
        let last = "forgetmenot/gateways/hall/request/alive"
        #expect(try anna.publish(last))
        try anna.receive(Self.topic)
        try hall.receive(last)
        #expect(hall.received(Self.topic).isEmpty)
    }
}
