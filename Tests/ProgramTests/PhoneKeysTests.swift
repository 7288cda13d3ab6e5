import Beacons
import Glibc
import HCI
import Linux
import Messages
import TestBroker
import Testing

/// The file with the keys of phones and watches.
struct PhoneKeysTests {
    private static let key = "ec0234a357c8ad05341010a60a397d9b"

    @Test func `check names the line of a wrong key, without it, and a file that all users can read`() throws {
        let folder = try TestFolder()
        let file = try folder.write("[radio]\nidentity_keys_file = \"identity.keys\"\n", to: "gateway.toml")
        for (text, mode, reason) in [
            ("\(Self.key) Anna's phone\n", 0o600 as mode_t, nil),
            ("\(Self.key) Anna's phone\n", 0o644, "is accessible to all users: run chmod 600"),
            (
                "\(Self.key) Anna's phone\n\(Self.key)0 Ben's\n", 0o600,
                "identity.keys: line 2 does not begin with a key"
            ),
        ] {
            chmod(try folder.write(text, to: "identity.keys"), mode)
            let end = try Program.gateway.run("check", "--config", file)
            #expect(end.status == (reason == nil ? 0 : 78) && end.errors.isEmpty, "\(end)")
            #expect(end.outputLines.count == (reason == nil ? 0 : 1), "\(end)")
            if let reason { #expect(end.output.contains(reason), "\(end)") }
            #expect(!end.output.contains(Self.key))
        }
    }

    /// An hour of the phone, with a new address each quarter.
    private static var recording: [UInt8] {
        // The first byte is the last one of the address.
        let addresses: [[UInt8]] = [
            [0x9A, 0xBC, 0xB0, 0x01, 0x00, 0x4A], [0x7D, 0xC9, 0x44, 0x02, 0x00, 0x5B],
            [0xAA, 0xFB, 0x0D, 0x94, 0x81, 0x70],
        ]
        var file = BtsnoopWriter.header
        for second in 0..<3600 {
            // 04 3E length 02 reports { eventType addressType address[6] dataLength data[] rssi }
            let report = [0x02, 0x01, 0x03, 0x01] + addresses[second / 900 % 3] + [3, 2, 1, 6, 0xC4]
            let packet = [0x04, 0x3E, UInt8(report.count)] + report
            BtsnoopWriter.append(packet.span.bytes, at: CaptureTime(microseconds: Int64(second) * 1_000_000), to: &file)
        }
        return file
    }

    @Test func `a phone whose address changes for an hour is one beacon without an exit, and its key is nowhere`()
        throws
    {
        let site = try Site()
        let observer = try Observer(site.broker)
        chmod(try site.folder.write("\(Self.key) Anna's phone\n", to: "identity.keys"), 0o600)
        try replaceFile(at: site.folder.path("phone.btsnoop"), with: Self.recording)
        let phone = try #require(BeaconUUID("3b2e68ad-1667-5081-a8bb-e80b626adabe"))
        let aggregator = try site.startAggregator(["Phone": BeaconIdentity(uuid: phone, major: 0, minor: 0)])
        let file = try site.gatewayFile(
            "kitchen", room: "Kitchen",
            radio: "source = \"capture:phone.btsnoop\"\nspeed = \"fast\"\nat_end = \"stop\"\n"
                + "identity_keys_file = \"identity.keys\"",
            more: "[log]\nlevel = \"debug\"\n[[region]]\nidentifier = \"Phones\"\nuuid = \"\(phone)\"\n")
        let gateway = try Program.gateway.start("run", "--config", file)
        let end = try gateway.ended()
        #expect(end.status == 0, "\(end)")
        try observer.wait(for: "the end") {
            observer.latest[Topic.gatewayAvailability(gateway: "kitchen").name(under: .standard)] == "offline"
        }
        // The aggregator has just started, and needs a moment before it exports.
        for _ in 0..<300 {
            if try site.ask("items", "export").output.contains("\(phone)") { break }
            try? observer.wait(for: "a moment", within: .milliseconds(100)) { false }
        }
        let printed = try [["items", "export"], ["nearby"], ["where"], ["events"]].map { try "\(site.ask($0))" }
        let published = observer.seen.filter {
            $0.topic.hasPrefix("forgetmenot/beacons/") && $0.topic.hasSuffix("/event")
        }
        #expect(published.count == 1 && published[0].text.contains("\"enter\""), "\(published)")
        let log = try aggregator.ended(by: SIGTERM).errors
        for text in printed + [end.errors, end.output, log] + observer.seen.map({ $0.topic + $0.text }) {
            #expect(!text.lowercased().contains(Self.key.prefix(8)) && !text.contains("7AI0o1fI"), "\(text)")
        }
        #expect(printed[0].contains("\(phone)"))
    }

    @Test func `a wrong line costs only its own phone, and info has the line without the key`() throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        chmod(
            try site.folder.write("\(Self.key)0 Ben's phone\n\(Self.key) Anna's phone\n", to: "identity.keys"), 0o600)
        try replaceFile(at: site.folder.path("phone.btsnoop"), with: Self.recording)
        let phone = try #require(BeaconUUID("3b2e68ad-1667-5081-a8bb-e80b626adabe"))
        let file = try site.gatewayFile(
            "kitchen", room: "Kitchen",
            radio: "source = \"capture:phone.btsnoop\"\nspeed = \"fast\"\nat_end = \"stop\"\n"
                + "identity_keys_file = \"identity.keys\"",
            more: "[[region]]\nidentifier = \"Phones\"\nuuid = \"\(phone)\"\n")
        let end = try Program.gateway.start("run", "--config", file).ended()
        #expect(end.status == 0, "\(end)")
        #expect(end.errors.contains("identity.keys: line 1 does not begin with a key"), "\(end)")
        try observer.wait(for: "the phone") {
            observer.seen.contains { $0.topic.hasPrefix("forgetmenot/beacons/") && $0.topic.hasSuffix("/event") }
        }
        let info = Topic.gatewayInfo(gateway: "kitchen").name(under: .standard)
        try observer.wait(for: "the problem") {
            observer.seen.contains { $0.topic == info && $0.text.contains("line 1 does not begin with a key") }
        }
        #expect(!end.errors.contains(Self.key) && !observer.seen.contains { $0.text.contains(Self.key) })
    }

    @Test func `a gateway whose file of keys cannot be used receives beacons, and info has the reason`() throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        chmod(try site.folder.write("\(Self.key) Anna's phone\n", to: "identity.keys"), 0o644)
        let file = try site.gatewayFile(
            "kitchen", room: "Kitchen", radio: "source = \"simulation\"\nidentity_keys_file = \"identity.keys\"",
            more: Site.region)
        let gateway = try Program.gateway.start("run", "--config", file)
        let info = Topic.gatewayInfo(gateway: "kitchen").name(under: .standard)
        try observer.wait(for: "the problem") {
            observer.latest[info].flatMap { try? GatewayInfo(parsing: Array($0.utf8)) }?.problems.contains {
                $0.hasPrefix("no phone is recognised: ") && $0.contains("is accessible to all users")
            } == true
        }
        try observer.wait(for: "a beacon") { observer.latest.keys.contains { $0.hasSuffix("/kitchen/proximity") } }
        _ = try gateway.ended(by: SIGTERM)
    }
}
