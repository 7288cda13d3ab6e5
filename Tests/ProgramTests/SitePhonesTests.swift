import Beacons
import Glibc
import HCI
import Linux
import Messages
import TestBroker
import Testing

/// `forgetmenot phones`: one command gives the key of a phone to all gateways, and to nobody else.
@Suite(
    .enabled(if: TestBroker.isInstalled && isProgramInstalled("openssl"), "skipped: no mosquitto or no openssl here"))
struct SitePhonesTests {
    private static let key = "ec0234a357c8ad05341010a60a397d9b"
    private static let other = "0123456789abcdef0123456789abcdef"
    /// Both orders of the bytes, and Base64.
    private static let secrets = ["ec0234a357c8", "9b7d390aa610", "7AI0o1fIrQU", "m305CqYQEDQ"]
    private static let phone = BeaconIdentity(
        uuid: BeaconUUID("3b2e68ad-1667-5081-a8bb-e80b626adabe")!, major: 0, minor: 0)

    private let broker: LockedBroker
    private let anna: Observer

    init() throws {
        broker = try LockedBroker()
        try broker.folder.write(
            "state_directory = \"aggregator\"\n[mqtt]\n" + Site.noPage
                + "[log]\nlevel = \"debug\"\n[[item]]\nname = \"Phone\"\n" + Self.phone.toml, to: "aggregator.toml")
        #expect(try broker.setUp([]).status == 0)
        // Everything that a user may read, by every filter that might match.
        anna = try Observer(
            broker.asUser("anna"),
            filters: [
                "#", "+/phones", "forgetmenot-secret/#", "forgetmenot-secret/phones", "forgetmenot-secret/phones/+",
            ])
        // A second that comes again and again, in which the phone has three addresses.
        let addresses: [[UInt8]] = [
            [0x9A, 0xBC, 0xB0, 0x01, 0x00, 0x4A], [0x7D, 0xC9, 0x44, 0x02, 0x00, 0x5B],
            [0xAA, 0xFB, 0x0D, 0x94, 0x81, 0x70],
        ]
        var recording = BtsnoopWriter.header
        for turn in 0..<9 {
            let report = [0x02, 0x01, 0x03, 0x01] + addresses[turn / 3] + [3, 2, 1, 6, 0xC4]
            let packet = [0x04, 0x3E, UInt8(report.count)] + report
            BtsnoopWriter.append(
                packet.span.bytes, at: CaptureTime(microseconds: Int64(turn) * 100_000), to: &recording)
        }
        try replaceFile(at: broker.folder.path("phone.btsnoop"), with: recording)
    }

    private func startAggregator() throws -> RunningProgram {
        try Program.aggregator.start("run", "--config", broker.folder.path("aggregator.toml"))
    }

    private func start(_ gateway: String) throws -> RunningProgram {
        let file = try broker.folder.write(
            """
            id = "\(gateway)"
            room = "\(gateway)"
            state_directory = "\(gateway)"
            [mqtt]
            host = "localhost"
            port = \(broker.gatewayPort)
            username = "\(gateway)"
            password_file = "secrets/\(gateway).password"
            [radio]
            source = "capture:phone.btsnoop"
            at_end = "loop"
            [log]
            level = "debug"

            """, to: "\(gateway).toml")
        return try Program.gateway.start("run", "--config", file)
    }

    /// Runs `forgetmenot phones` with these words; the key comes by standard input.
    private func phones(_ words: String..., key: String = "") throws -> Ended {
        try broker.folder.write(key + "\n", to: "typed")
        let program = [
            "sh", "-c", "exec \"$@\" <'\(broker.folder.path("typed"))'", "sh", Program.aggregator.path, "phones",
        ]
        return try RunningProgram(
            program + words + ["--folder", broker.folder.path, "--config", broker.folder.path("aggregator.toml")]
        ).ended()
    }

    /// Waits until the gateway has stored so many phones, where nobody else can read them.
    private func wait(until gateway: String, has count: Int) throws {
        let path = broker.folder.path("\(gateway)/phones.json")
        let deadline = Clock.now + .seconds(90)
        while (try? Phones(parsing: readFile(at: path)))?.phones.count != count {
            guard Clock.now < deadline else { throw TestBrokerError("\(gateway) has not \(count) phones") }
            poll(nil, 0, 50)
        }
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    private func waitForEnter(at gateway: String) throws {
        let topic = Topic.beaconEvent(Self.phone, gateway: gateway).name(under: .standard)
        try anna.wait(for: "the phone in \(gateway)") { anna.latest[topic]?.contains("\"enter\"") == true }
    }

    @Test func `a phone that is added once is recognised by all gateways, later ones too, until it is removed`() throws
    {
        var aggregator = try startAggregator()
        var logs: [Ended] = []
        let kitchen = try start("kitchen")
        try anna.wait(forAllOf: ["forgetmenot/gateways/kitchen/info", "forgetmenot/aggregator/info"])
        for round in 1...2 {
            for key in [Self.key, "m305CqYQEDQFrchXozQC7A== of the phone"] {
                let added = try phones("add", "Anna's phone", key: key)
                #expect(
                    added.status == 0 && added.output.contains("--uuid \(Self.phone.uuid) --major 0 --minor 0"),
                    "\(added)")
                logs.append(added)
            }
            try waitForEnter(at: "kitchen")
            var hall = try start("hall")
            try waitForEnter(at: "hall")
            try wait(until: "hall", has: 1)
            for _ in 1...2 {
                logs += [try hall.ended(by: SIGTERM), try aggregator.ended(by: SIGKILL)]
                // This broker forgets what it retains.
                try broker.start()
                aggregator = try startAggregator()
                hall = try start("hall")
                let list = try phones("list")
                #expect(list.output.contains("Anna's phone") && list.output.contains("\(Self.phone.uuid)"), "\(list)")
                logs += [list, try phones("list", "--json")]
            }
            let renamed = try phones("add", "Anna", key: Self.key)
            #expect(renamed.status == 0, "\(renamed)")
            let taken = try phones("add", "Anna", key: Self.other)
            #expect(taken.status == 1 && taken.errors.contains("\"Anna\" with another key"), "\(taken)")
            logs += [renamed, taken, try hall.ended(by: SIGTERM)]
            #expect(try phones("remove", "Anna").status == 0)
            let again = try phones("remove", "Anna")
            #expect(again.status == 66 && again.errors.contains("there is no phone \"Anna\""), "\(again)")
            try wait(until: "kitchen", has: 0)
            try wait(until: "hall", has: 1)
            hall = try start("hall")
            try wait(until: "hall", has: 0)
            logs.append(try hall.ended(by: SIGTERM))
            #expect(round < 3)
        }
        logs += [try kitchen.ended(by: SIGTERM), try aggregator.ended(by: SIGTERM)]
        let log = try broker.text("log")
        for text in anna.seen.map({ $0.topic + $0.text }) + logs.flatMap({ [$0.output, $0.errors] }) + [log] {
            #expect(!Self.secrets.contains { text.lowercased().contains($0.lowercased()) }, "\(text)")
        }
        #expect(!anna.seen.contains { $0.topic.hasPrefix("forgetmenot-secret") })
    }

    @Test func `a gateway hands over a key once the site distributes keys, and can remove none`() throws {
        let aggregator = try startAggregator()
        try anna.wait(forAllOf: ["forgetmenot/aggregator/info"])
        let gateway = try Visitor(broker.asGateway("kitchen"), reading: ["forgetmenot-secret/phones"])
        let phone = Phones([Phone(key: try #require(IdentityKey(Self.key)), name: "Anna's phone")]).bytes
        try gateway.publish("forgetmenot-secret/phones/add", phone)
        #expect(try !phones("list").output.contains("Anna"), "the site distributed no keys then")
        try gateway.receive("forgetmenot-secret/phones")
        for _ in 1...2 {
            try gateway.publish("forgetmenot-secret/phones/add", phone)
            while gateway.received("forgetmenot-secret/phones").last?.payload == Phones().bytes {
                try gateway.receiveMore()
            }
            try gateway.publish("forgetmenot-secret/phones/remove", phone)
            #expect(try phones("list").output.contains("Anna's phone"))
        }
        _ = try aggregator.ended(by: SIGTERM)
    }

    @Test func `a wrong key, and a broker that is not locked, are refused without the key`() throws {
        let aggregator = try startAggregator()
        try anna.wait(forAllOf: ["forgetmenot/aggregator/info"])
        for key in [Self.key + "0", "", "Anna"] {
            let wrong = try phones("add", "Anna's phone", key: key)
            #expect(wrong.status == 66 && wrong.errors.contains("that is no key"), "\(wrong)")
            #expect(!wrong.errors.contains("ec0234"))
        }
        #expect(try phones("add", "", key: Self.key).status == 64)
        let nowhere = try Program.aggregator.run(
            "phones", "list", "--folder", broker.folder.path("none"), "--config", broker.folder.path("aggregator.toml"))
        #expect(
            nowhere.status == 66 && nowhere.errors.contains("run this with sudo on the broker's machine"), "\(nowhere)")
        _ = try aggregator.ended(by: SIGTERM)
        // An earlier release's file, or a line that somebody has added.
        let acl = try broker.text("users.acl")
        try broker.folder.write(
            acl.replacing("topic readwrite forgetmenot/#", with: "topic readwrite #"), to: "users.acl")
        try broker.start()
        for _ in 1...2 {
            let open = try phones("add", "Anna's phone", key: Self.key)
            #expect(
                open.status == 1 && open.errors.contains("does not use the rights that broker-setup has written"),
                "\(open)")
        }
        #expect(try broker.text("users.acl") == acl)
        #expect(try broker.setUp(["--bind", "0.0.0.0"]).status == 0)
        let unencrypted = try phones("add", "Anna's phone", key: Self.key)
        #expect(
            unencrypted.status == 1 && unencrypted.errors.contains("cross the network unencrypted"), "\(unencrypted)")
    }
}
