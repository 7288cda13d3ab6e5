import Beacons
import Messages
import Testing

@testable import GatewayCore

/// Phones and watches, whose addresses change, recognised by their identity resolving keys.
@Suite("A phone with an identity resolving key")
struct PhoneTests {
    /// The key of Core 5.4, Vol 3, Part H, D.7, with which 0x708194 has the hash 0x0DFBAA.
    static let key = "ec0234a357c8ad05341010a60a397d9b"
    static let address = DeviceAddress("70:81:94:0D:FB:AA", kind: .random)!
    /// The same key as other programs write it.
    static let notations = [
        key, key.uppercased(), "EC:02:34:A3:57:C8:AD:05:34:10:10:A6:0A:39:7D:9B", "ec0234a3-57c8ad05-341010a6-0a397d9b",
        "7AI0o1fIrQU0EBCmCjl9mw==", "9b7d390aa610103405adc857a33402ec", "m305CqYQEDQFrchXozQC7A==",
    ]

    private static func advertisement(
        from address: DeviceAddress = address, at second: Double = 0
    ) -> Advertisement {
        Advertisement(address: address, rssi: RSSI(dBm: -60), at: TestGateway.moment(second).instant)
    }

    private func resolver(_ file: String = "\(key) Anna's phone") throws -> IdentityResolver {
        IdentityResolver(try IdentityKeys(file: file))
    }

    /// The addresses of a phone, a quarter of an hour each.
    private static func addresses(_ count: Int) throws -> [DeviceAddress] {
        let cipher = try #require(AddressCipher())
        let key = try #require(IdentityKey(key))
        return try (0..<count).map { number in
            let random = UInt64(0x400000 + number * 0x1234)
            let hash = try #require(cipher.hash(of: UInt32(random), by: key.bytes))
            return DeviceAddress(bits: random << 24 | UInt64(hash), kind: .random)
        }
    }

    @Test(arguments: notations) func `is recognised however its key is written, with the same identity`(
        notation: String
    ) throws {
        var resolver = try resolver("\(notation) Anna's phone")
        let received = resolver.sighting(of: Self.advertisement())
        let sighting = try #require(received)
        #expect(sighting.beacon == IdentityKey(Self.key)?.beacon && sighting.rssi == RSSI(dBm: -60))
        #expect(resolver.name(of: sighting.beacon) == "Anna's phone")
    }

    @Test func `has a UUID of version 5, major 0 and minor 0`() throws {
        let beacon = try #require(IdentityKey(Self.key)).beacon
        let text = Array("\(beacon.uuid)")
        #expect(text[14] == "5" && "89ab".contains(text[19]) && beacon.major == 0 && beacon.minor == 0)
    }

    @Test(arguments: [
        "", "ec0234a357c8ad05341010a60a397d9", "ec0234a357c8ad05341010a60a397d9bb", "7AI0o1fIrQU0EBCmCjl9mwAA",
        "*AI0o1fIrQU0EBCmCjl9mw==", "zc0234a357c8ad05341010a60a397d9b",
    ])
    func `is not what has no key`(text: String) { #expect(IdentityKey(text) == nil) }

    @Test func `is not found in the addresses of strangers, nor in those that are not resolvable`() throws {
        var resolver = try resolver()
        for bits in [Self.address.bits ^ 1, Self.address.bits ^ 1 << 24, Self.address.bits | 1 << 47] {
            let stranger = resolver.sighting(of: Self.advertisement(from: DeviceAddress(bits: bits, kind: .random)))
            #expect(stranger == nil)
        }
        let isPublic = DeviceAddress(bits: Self.address.bits, kind: .public)
        let unresolvable = resolver.sighting(of: Self.advertisement(from: isPublic))
        var withoutKeys = IdentityResolver()
        let unknown = withoutKeys.sighting(of: Self.advertisement())
        #expect(unresolvable == nil && unknown == nil)
    }

    @Test
    func `is one beacon that stays, for two hours of changing addresses, and exits once each time that it is gone`()
        throws
    {
        let beacon = try #require(IdentityKey(Self.key)).beacon
        var gateway = TestGateway(
            """
            [[region]]
            identifier = "Phones"
            uuid = "\(beacon.uuid)"
            """)
        gateway.pipeline.recognise(try IdentityKeys(file: "\(Self.key) Anna's phone"))
        gateway.connect()
        let flags: [UInt8] = [2, 1, 6]
        for visit in 0..<2 {
            for (number, address) in try Self.addresses(8).enumerated() {
                for second in 0..<900 {
                    let now = Double(visit * 10_000 + number * 900 + second)
                    gateway.pipeline.receive(Self.advertisement(from: address, at: now), flags.span.bytes)
                    gateway.advance(to: now)
                }
            }
            let enters = Array(repeating: ["enter 0/0", "enter phones", "exit 0/0", "exit phones"], count: visit)
                .joined()
            #expect(gateway.story == enters + ["enter 0/0", "enter phones"])
            gateway.receiveOthers(from: Double(visit * 10_000 + 7200), to: Double(visit * 10_000 + 9000))
            #expect(gateway.story == enters + ["enter 0/0", "enter phones", "exit 0/0", "exit phones"])
        }
    }

    private static let region =
        "[monitoring]\nexit_after = \"10s\"\n[[region]]\nidentifier = \"Phones\"\nuuid = \"\(IdentityKey(key)!.beacon.uuid)\"\n"

    /// The phone is received once a second.
    private static func receive(_ gateway: inout TestGateway, from first: Int, to last: Int) {
        for second in first...last {
            gateway.pipeline.receive(advertisement(at: Double(second)), ([2, 1, 6] as [UInt8]).span.bytes)
            gateway.advance(to: Double(second))
        }
    }

    /// The next process on the machine of a gateway.
    private static func restarted(
        _ former: TestGateway, _ keys: IdentityKeys, at seconds: Double
    ) throws -> TestGateway {
        let states = try #require(former.pipeline.storedStates(machine: "m"))
        return TestGateway(region, boot: "18.abcd", at: seconds) {
            $0.recognise(keys)
            $0.restore(states, nil, events: [], machine: "m")
        }
    }

    @Test(arguments: [IdentityKeys(lines: "\(key)0 Anna's phone"), .unreadable])
    func `whose key cannot be read does not exit: it is unknown until the file is right, each time`(
        wrong: IdentityKeys
    ) throws {
        let right = try IdentityKeys(file: "\(Self.key) Anna's phone")
        var gateway = TestGateway(Self.region)
        gateway.pipeline.recognise(right)
        Self.receive(&gateway, from: 1, to: 20)
        let state = Topic.regionState(region: "phones", gateway: "kitchen")
        let phone = try #require(IdentityKey(Self.key)).beacon
        for start in [100.0, 1000] {
            for later in [0.0, 300] {
                gateway = try Self.restarted(gateway, wrong, at: start + later)
                gateway.receiveOthers(from: start + later + 1, to: start + later + 200)
                #expect(gateway.story == [])
                #expect(gateway.states(on: state, RegionState.self).last?.state == .unknown)
                #expect(gateway.pipeline.monitor.state(of: phone) == .unknown)
            }
            gateway = try Self.restarted(gateway, right, at: start + 600)
            Self.receive(&gateway, from: Int(start) + 601, to: Int(start) + 620)
            #expect(gateway.story == [], "it is inside as before")
            #expect(gateway.states(on: state, RegionState.self).last?.state == .inside)
        }
        gateway = try Self.restarted(gateway, right, at: 1700)
        gateway.receiveOthers(from: 1701, to: 1720)
        #expect(gateway.story == ["exit 0/0", "exit phones"])
    }

    @Test(arguments: [IdentityKeys(lines: "\(key)0 Anna's phone"), .unreadable])
    func `whose key could never be read is not outside: its region is unknown until the file is right, each time`(
        wrong: IdentityKeys
    ) throws {
        let state = Topic.regionState(region: "phones", gateway: "kitchen")
        var gateway = TestGateway(Self.region)
        for start in [0.0, 1000] {
            for keys in [wrong, wrong, try IdentityKeys(file: "\(Self.key) Anna's phone")] {
                let first = start + (keys == wrong ? 0 : 500)
                gateway = try Self.restarted(gateway, keys, at: first)
                gateway.connect(at: first)
                gateway.receiveOthers(from: first + 1, to: first + 200)
                #expect(gateway.story == [])
                let last = try #require(gateway.states(on: state, RegionState.self).last)
                #expect(last.state == (keys == wrong ? .unknown : .outside))
                gateway.ask("regions/state", at: first + 201)
                let response = gateway.published(on: .gatewayResponse(gateway: "kitchen", what: "regions/state")).last
                #expect(response?.contains("\"state\":\"\(last.state.rawValue)\"") == true, "\(response ?? "-")")
            }
        }
    }

    @Test func `whose line is right exits as ever, though another line is wrong`() throws {
        var gateway = TestGateway(Self.region)
        let keys = IdentityKeys(lines: "nothing Ben's phone\n\(Self.key) Anna's phone")
        gateway.pipeline.recognise(keys)
        Self.receive(&gateway, from: 1, to: 20)
        gateway = try Self.restarted(gateway, keys, at: 60)
        gateway.receiveOthers(from: 61, to: 80)
        #expect(gateway.story == ["exit 0/0", "exit phones"])
    }

    /// The frame of a beacon that a phone sends from its resolvable address.
    private static let frame = BeaconFrame(
        format: .iBeacon, identity: TestGateway.bag, measuredPower: MeasuredPower(dBm: -59)
    ).advertisingData

    @Test(arguments: [true, false])
    func `that sends a beacon is received as that beacon only if a region has it, twice`(isRegion: Bool) throws {
        let phone = try #require(IdentityKey(Self.key)).beacon
        var gateway = TestGateway(
            """
            [monitoring]
            exit_after = "10s"
            [[region]]
            identifier = "Phones"
            uuid = "\(isRegion ? TestGateway.bag.uuid : phone.uuid)"
            """)
        gateway.pipeline.recognise(try IdentityKeys(file: "\(Self.key) Anna's phone"))
        gateway.connect()
        let beacon = isRegion ? TestGateway.bag : phone
        for round in 0..<2 {
            let start = Double(round * 100)
            for second in 1...10 {
                let now = start + Double(second)
                gateway.pipeline.receive(Self.advertisement(at: now), Self.frame.span.bytes)
                gateway.advance(to: now)
            }
            #expect(gateway.pipeline.monitor.state(of: beacon) == .inside)
            gateway.receiveOthers(from: start + 11, to: start + 60)
        }
        let visit = [
            "enter \(beacon.major)/\(beacon.minor)", "enter phones", "exit \(beacon.major)/\(beacon.minor)",
            "exit phones",
        ]
        #expect(gateway.story == visit + visit)
    }

    @Test func `has its name in the list of what a gateway receives; its key is in nothing that is published`() throws {
        var gateway = TestGateway()
        gateway.pipeline.recognise(try IdentityKeys(file: "\(Self.key) Anna's phone"))
        gateway.connect()
        gateway.pipeline.receive(Self.advertisement(at: 1), ([2, 1, 6] as [UInt8]).span.bytes)
        gateway.ask("beacons", at: 2)
        let text = try #require(gateway.published(on: .gatewayResponse(gateway: "kitchen", what: "beacons")).last)
        #expect(text.contains("\"name\":\"Anna's phone\""))
        let all = gateway.outputs.map { output in
            if case .publish(let message) = output {
                String(decoding: message.payload, as: UTF8.self)
            } else {
                "\(output)"
            }
        }
        for notation in Self.notations { #expect(!all.contains { $0.lowercased().contains(notation.lowercased()) }) }
        #expect(!"\(try IdentityKeys(file: Self.key + " Anna"))".contains("236"), "bytes as numbers")
    }

    @Test func `is recognised behind a flood of strangers, of whose addresses only the last are known`() throws {
        var resolver = try resolver()
        for bits in 0..<UInt64(2 * IdentityResolver.mostAddresses) {
            let stranger = DeviceAddress(bits: 0b01 << 46 | bits, kind: .random)
            _ = resolver.sighting(of: Self.advertisement(from: stranger))
        }
        #expect(resolver.addressCount == IdentityResolver.mostAddresses)
        let phone = resolver.sighting(of: Self.advertisement())
        #expect(phone != nil)
    }
}

/// The file of identity resolving keys.
struct IdentityKeysTests {
    @Test func `a line is a key and a name; empty lines and comments are nobody's`() throws {
        let file = "# Ours\n\n\(PhoneTests.key)  Anna's phone \r\n  000102030405060708090a0b0c0d0e0f\tBen\n"
        #expect(try IdentityKeys(file: file).entries.map(\.name) == ["Anna's phone", "Ben"])
        #expect(try IdentityKeys(file: "\n").entries.isEmpty)
    }

    @Test func `a wrong line costs only its own phone, each of several, and the hundred-and-first key only itself`() {
        let keys = IdentityKeys(
            lines:
                "none Eve\n\(PhoneTests.key) Anna\n\n\(PhoneTests.notations[5]) Anna\n\(String(repeating: "1f", count: 16)) Ben\n"
        )
        #expect(keys.entries.map(\.name) == ["Anna", "Ben"])
        #expect(keys.faults.map { "\($0)".prefix(6) } == ["line 1", "line 4"])
        let lines = (0...IdentityKeys.most).map { "\(String(repeating: "0", count: 29))\(100 + $0) A" }
        let full = IdentityKeys(lines: lines.joined(separator: "\n"))
        #expect(full.entries.count == IdentityKeys.most && full.faults.count == 1)
    }

    @Test func `a phone is added behind all other lines, which stay, twice`() throws {
        let keys = try ["00", "ff"].map { try #require(IdentityKey(String(repeating: $0, count: 16))) }
        var text = "# Ours\n\n\(PhoneTests.key) Anna's phone"
        for (key, name) in zip(keys, ["Ben's", "Eve's watch"]) {
            let former = text
            text = try IdentityKeys.adding(key, name: name, to: text)
            #expect(text.hasPrefix(former) && text.hasSuffix(" \(name)\n"))
            #expect(try IdentityKeys(file: text).entries.last?.key == key)
        }
        #expect(try IdentityKeys(file: text).entries.map(\.name) == ["Anna's phone", "Ben's", "Eve's watch"])
    }

    @Test func `a phone is added neither twice, nor without a name, nor to a file that is full or wrong`() throws {
        let key = try #require(IdentityKey(PhoneTests.key))
        let full = (0..<IdentityKeys.most).map {
            "\(String(repeating: "0", count: 30))\($0 < 16 ? "0" : "")\(String($0, radix: 16)) A\n"
        }
        .joined()
        for (text, name, problem) in [
            ("", "", "has no name"),
            ("", "Anna's\nBen's", "line 2 does not begin with a key"), (full, "Anna's", "at most 100"),
            ("nothing", "Anna's", "line 1 does not begin with a key"),
        ] {
            let fault = #expect(throws: IdentityKeys.Fault.self) {
                try IdentityKeys.adding(key, name: name, to: text)
            }
            let sentence = fault.map { "\($0)" } ?? ""
            #expect(sentence.contains(problem) && !sentence.contains(PhoneTests.key), "\(sentence)")
        }
        let known = "\(PhoneTests.notations[5]) Ben's\n"
        #expect(try IdentityKeys.adding(key, name: "Anna's", to: known) == known)
    }

    @Test(arguments: [
        (
            "\nsecret Anna",
            "line 2 does not begin with a key: write 32 hexadecimal digits or 24 characters of Base64, then a name"
        ),
        (PhoneTests.key, "line 1 has no name of 1 to 256 bytes behind the key: write one, like \"Anna's phone\""),
        ("\(PhoneTests.key) A\n\(PhoneTests.notations[5]) B", "line 2 has a key of a line before: remove one of them"),
        (
            (0...IdentityKeys.most).map {
                "\(String(repeating: "0", count: 30))\($0 < 16 ? "0" : "")\(String($0, radix: 16)) A"
            }
            .joined(separator: "\n"), "line 101 is one key too many: a file has at most 100"
        ),
    ])
    func `a wrong line is named, without the key`(file: String, problem: String) {
        #expect(throws: IdentityKeys.Fault.self) { try IdentityKeys(file: file) }
        #expect(
            { () -> String? in
                do { _ = try IdentityKeys(file: file) } catch { return "\(error)" }; return nil
            }() == problem)
    }
}
