import Beacons
import Glibc
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
            #expect(end.status == (reason == nil ? 0 : 78) && end.output.isEmpty, "\(end)")
            #expect(end.errorLines.count == (reason == nil ? 0 : 1), "\(end)")
            if let reason { #expect(end.errors.contains(reason), "\(end)") }
            #expect(!end.errors.contains(Self.key))
        }
    }

    @Test func `a gateway whose file of keys is wrong receives beacons, and info has the reason`() throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        chmod(try site.folder.write("none Anna's phone\n", to: "identity.keys"), 0o600)
        let file = try site.gatewayFile(
            "kitchen", room: "Kitchen", radio: "source = \"simulation\"\nidentity_keys_file = \"identity.keys\"",
            more: Site.region)
        let gateway = try Program.gateway.start("run", "--config", file)
        let info = Topic.gatewayInfo(gateway: "kitchen").name(under: .standard)
        try observer.wait(for: "the problem") {
            observer.latest[info].flatMap { try? GatewayInfo(parsing: Array($0.utf8)) }?.problems.contains {
                $0.hasPrefix("no phone is recognised: ") && $0.contains("line 1 does not begin with a key")
            } == true
        }
        try observer.wait(for: "a beacon") { observer.latest.keys.contains { $0.hasSuffix("/kitchen/proximity") } }
        _ = try gateway.ended(by: SIGTERM)
    }
}
