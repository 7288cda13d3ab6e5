import Beacons
import Messages
import Testing

@testable import GatewayCore

/// Items whose tags send no beacon, recognised by the identities that another program publishes for them.
@Suite("An item with aliases")
struct AliasTests {
    private static let keys = RegistryItem(
        id: "keys", name: "Keys", beacon: BeaconIdentity(uuid: TestGateway.bag.uuid, major: 0, minor: 7))
    private static let address = DeviceAddress("C0:11:22:33:44:55", kind: .random)!
    private static let other = DeviceAddress("D0:11:22:33:44:66", kind: .random)!
    /// A frame of Google's network: the service FEAA, the type of the frame and the identity.
    private static let findHub: [UInt8] = [2, 1, 6, 9, 0x16, 0xAA, 0xFE, 0x41, 0xB5, 0xE0, 0xA1, 0xC2, 0xD3]
    private static let comesAndGoes = ["enter 0/7", "exit 0/7"]

    private var gateway = TestGateway("[monitoring]\nexit_after = \"10s\"")

    init() { gateway.connect() }

    /// The item is in the registry from this second on, or no longer.
    private mutating func register(revision: UInt64 = 1, items: [RegistryItem] = [keys], at second: Double) {
        for item in items { gateway.registry("items/\(item.id)", item, at: second) }
        gateway.registry(
            "manifest", RegistryManifest(revision: revision, items: items.map(\.id), regions: []), at: second)
    }

    /// Publishes a payload for an item; without one, withdraws it.
    private mutating func publish(_ payload: [UInt8] = [], of item: String = "keys", at second: Double) {
        gateway.pipeline.receive(
            topic: "forgetmenot/items/\(item)/aliases", payload: payload, isRetained: true,
            at: TestGateway.moment(second))
        gateway.advance(to: second)
    }

    private static func address(_ address: DeviceAddress = address, until second: Double) -> ItemAlias {
        ItemAlias(.address(address.bits), until: TestGateway.start + .seconds(second))
    }

    private static func payload(_ aliases: ItemAlias...) -> [UInt8] { ItemAliases(aliases: aliases).bytes }

    /// Receives an advertisement that is no beacon, once a second.
    private mutating func receive(
        _ seconds: ClosedRange<Int>, from address: DeviceAddress = address, shift: Double = 0
    ) {
        let data: [UInt8] = [2, 1, 6]
        for second in seconds {
            var moment = TestGateway.moment(Double(second))
            moment.wall = moment.wall + .seconds(shift)
            let advertisement = Advertisement(address: address, rssi: RSSI(dBm: -60), at: moment.instant)
            gateway.pipeline.receive(advertisement, data.span.bytes)
            gateway.advance(to: moment)
        }
    }

    private var problems: [String] {
        gateway.states(on: .gatewayInfo(gateway: "kitchen"), GatewayInfo.self).last?.problems ?? []
    }

    private static let ended =
        "all aliases have ended of: keys. The gateway cannot receive them until the program that publishes their aliases continues"
    private var state: MonitoringState? { gateway.pipeline.monitor.state(of: Self.keys.beacon) }

    @Test mutating func `is unknown from the end of its last alias on, and there again with the next, twice`() {
        register(at: 0)
        for round in 0..<2 {
            let start = round * 1000
            publish(Self.payload(Self.address(until: Double(start + 300))), at: Double(start))
            receive(start + 1...start + 299)
            #expect(state == .inside && problems.isEmpty)
            // The alias has ended, the advertisements have not.
            receive(start + 300...start + 400)
            #expect(state == .unknown && problems == [Self.ended])
            #expect(gateway.published(on: .proximity(Self.keys.beacon, gateway: "kitchen")).last == "")
        }
        #expect(gateway.story == ["enter 0/7"])
    }

    @Test mutating func `exits by a silence that began under an alias, and by one that begins with the next, twice`() {
        register(at: 0)
        for round in 0..<2 {
            let start = round * 1000
            publish(Self.payload(Self.address(until: Double(start + 300))), at: Double(start))
            receive(start + 1...start + 100)
            gateway.receiveOthers(from: Double(start + 101), to: Double(start + 120))
            #expect(gateway.story == Array(repeating: Self.comesAndGoes, count: 2 * round + 1).flatMap(\.self))
            receive(start + 290...start + 296)
            gateway.receiveOthers(from: Double(start + 297), to: Double(start + 400))
            #expect(state == .unknown, "it was silent for 3 s when the alias ended")
            publish(Self.payload(Self.address(until: Double(start + 900))), at: Double(start + 401))
            gateway.receiveOthers(from: Double(start + 402), to: Double(start + 410))
            #expect(state == .unknown)
            gateway.receiveOthers(from: Double(start + 411), to: Double(start + 412))
            #expect(gateway.story == Array(repeating: Self.comesAndGoes, count: 2 * round + 2).flatMap(\.self))
        }
    }

    @Test mutating func `is unknown from the withdrawal of its aliases on, unless its tag sends its beacon, twice`() {
        register(at: 0)
        for start in [0, 1000] {
            publish(Self.payload(Self.address(until: Double(start + 900))), at: Double(start))
            receive(start + 1...start + 10)
            publish(at: Double(start + 10))
            #expect(state == .unknown && problems.isEmpty)
            for second in start + 11...start + 15 {
                gateway.receive(Self.keys.beacon, at: Double(second))
                gateway.advance(to: Double(second))
                #expect(state == .inside)
            }
            gateway.receiveOthers(from: Double(start + 16), to: Double(start + 40))
            #expect(state == .outside)
        }
        #expect(gateway.story == Self.comesAndGoes + Self.comesAndGoes)
    }

    @Test mutating func `is unknown after a restart of the gateway until it has an alias again, twice`() throws {
        register(at: 0)
        publish(Self.payload(Self.address(until: 5000)), at: 0)
        receive(1...100)
        for restart in 1...2 {
            let states = try #require(gateway.pipeline.storedStates(machine: "m", isFinal: restart == 1))
            let registry = gateway.pipeline.registry.stored
            let stored = try StoredStates(parsing: states.bytes)
            let start = Double(restart * 200)
            gateway = TestGateway("[monitoring]\nexit_after = \"10s\"", boot: "\(18 + restart).abcd", at: start) {
                $0.restore(registry)
                $0.restore(stored, nil, events: [], machine: "m")
            }
            gateway.receiveOthers(from: start, to: start + 50)
            #expect(gateway.story == [] && state == .unknown, "restart \(restart)")
        }
        gateway.connect(at: 450)
        publish(Self.payload(Self.address(until: 5000)), at: 450)
        receive(451...460)
        #expect(gateway.story == [] && state == .inside)
        gateway.receiveOthers(from: 461, to: 480)
        #expect(gateway.story == ["exit 0/7"])
    }

    @Test
    mutating func `is unknown after a kill soon after it entered by an alias, and exits if it entered by its frame`()
        throws
    {
        register(at: 0)
        publish(Self.payload(Self.address(until: 5000)), at: 0)
        gateway.receiveOthers(from: 0, to: 5)
        for (isByAlias, start) in [(true, 200.0), (false, 400), (true, 600)] {
            let states = try StoredStates(parsing: try #require(gateway.pipeline.storedStates(machine: "m")).bytes)
            let (registry, first) = (gateway.pipeline.registry.stored, gateway.pipeline.log.upcoming)
            if isByAlias {
                receive(Int(start) - 150...Int(start) - 140)
            } else {
                gateway.receive(Self.keys.beacon, at: start - 150)
                gateway.receive(Self.keys.beacon, at: start - 149)
            }
            let events = gateway.events.filter { $0.id.seq >= first }
            #expect(events.count == 1)
            gateway = TestGateway("[monitoring]\nexit_after = \"10s\"", boot: "\(Int(start)).abcd", at: start) {
                $0.restore(registry)
                $0.restore(states, nil, events: events, machine: "m")
            }
            gateway.receiveOthers(from: start, to: start + 20)
            #expect(gateway.story == (isByAlias ? [] : ["exit 0/7"]) && (state == .unknown) == isByAlias, "\(start)")
            // It is to enter again in the next round.
            gateway.connect(at: start + 21)
            publish(Self.payload(Self.address(until: 5000)), at: start + 21)
            gateway.receiveOthers(from: start + 22, to: start + 40)
            #expect(gateway.story == ["exit 0/7"])
        }
    }

    @Test mutating func `exits if it is no item any more while its aliases have ended, and a region has its beacon`() {
        gateway = TestGateway()
        gateway.connect()
        register(at: 0)
        publish(Self.payload(Self.address(until: 50)), at: 0)
        receive(1...60)
        #expect(state == .unknown)
        register(revision: 2, items: [], at: 61)
        gateway.receiveOthers(from: 62, to: 80)
        #expect(state == .outside && problems.isEmpty)
    }

    @Test mutating func `is received by its address also if its tag sends a beacon of no region, twice`() {
        register(at: 0)
        publish(Self.payload(Self.address(until: 1000)), at: 0)
        let frame = BeaconFrame(
            format: .iBeacon, identity: TestGateway.bag, measuredPower: MeasuredPower(dBm: -59)
        ).advertisingData
        for round in 0..<2 {
            for second in 1...10 {
                let now = TestGateway.moment(Double(round * 100 + second))
                let advertisement = Advertisement(address: Self.address, rssi: RSSI(dBm: -60), at: now.instant)
                gateway.pipeline.receive(advertisement, frame.span.bytes)
                gateway.advance(to: now)
            }
            gateway.receiveOthers(from: Double(round * 100 + 11), to: Double(round * 100 + 60))
        }
        #expect(gateway.story == Self.comesAndGoes + Self.comesAndGoes)
    }

    @Test mutating func `keeps its aliases until they end over a broker that lost them but not the registry, twice`() {
        register(at: 0)
        for round in 0..<2 {
            let start = round * 1000
            publish(Self.payload(Self.address(until: Double(start + 300))), at: Double(start))
            receive(start + 1...start + 50)
            gateway.pipeline.disconnected(at: TestGateway.moment(Double(start + 50)))
            gateway.pipeline.connected(at: TestGateway.moment(Double(start + 51)))
            // The aggregator has published the registry again, or the broker had it on its disk.
            register(at: Double(start + 54))
            receive(start + 55...start + 299)
            #expect(gateway.story == ["enter 0/7"] && state == .inside)
            receive(start + 300...start + 400)
            #expect(state == .unknown)
        }
    }

    @Test mutating func `is no problem any more if a refused payload was withdrawn without a connection, twice`() {
        for isRemoved in [false, true] {
            register(revision: isRemoved ? 2 : 1, at: 0)
            publish(Array("[]".utf8), at: 0)
            #expect(problems.count == 1)
            if isRemoved {
                register(revision: 3, items: [], at: 0)
            } else {
                gateway.pipeline.disconnected(at: TestGateway.moment(0))
                gateway.connect(at: 0)
            }
            gateway.advance(to: 0)
            #expect(problems.isEmpty)
        }
    }

    @Test mutating func `stays one item while its addresses change, for an hour`() {
        register(at: 0)
        for quarter in 0..<4 {
            let address = DeviceAddress(bits: 0xC000_0000_0000 + UInt64(quarter), kind: .random)
            let end = Double(quarter + 1) * 900
            publish(Self.payload(Self.address(address, until: end)), at: Double(quarter) * 900)
            receive(quarter * 900 + 1...quarter * 900 + 899, from: address)
        }
        #expect(gateway.story == ["enter 0/7"])
    }

    @Test mutating func `is received by the beginning of its service data, from any address`() {
        register(at: 0)
        let whole = Array(Self.findHub.dropFirst(7))
        for (beginning, isReceived) in [
            (Array(whole.prefix(4)), true), (whole, true), (whole + [0], false), ([0x41, 0xB5, 0xE0, 0xA2], false),
            (Array(whole.prefix(5)) + [0xD4], false),
        ] {
            let alias = ItemAlias(
                .serviceData(service: 0xFEAA, beginning: beginning), until: TestGateway.start + .seconds(60))
            publish(Self.payload(alias), at: 0)
            #expect((sighting(Self.findHub) != nil) == isReceived, "\(beginning)")
        }
        let elsewhere = ItemAlias(
            .serviceData(service: 0xFEAB, beginning: whole), until: TestGateway.start + .seconds(60))
        publish(Self.payload(elsewhere), at: 0)
        #expect(sighting(Self.findHub) == nil)
    }

    /// The sighting in an advertisement of the first second.
    private func sighting(_ data: [UInt8], from address: DeviceAddress = other) -> Sighting? {
        let advertisement = Advertisement(address: address, rssi: RSSI(dBm: -60), at: TestGateway.moment(1).instant)
        return gateway.pipeline.monitoring.aliases.sighting(of: advertisement, data.span.bytes)
    }

    @Test mutating func `is not found in service data of any length that does not fit`() {
        register(at: 0)
        let alias = ItemAlias(
            .serviceData(service: 0xFEAA, beginning: Array(0x41...0x60)), until: TestGateway.start + .seconds(60))
        publish(Self.payload(alias), at: 0)
        let whole: [UInt8] = [35, 0x16, 0xAA, 0xFE] + Array(0x41...0x60)
        #expect(sighting(whole)?.beacon == Self.keys.beacon)
        for length in whole.indices {
            #expect(sighting(Array(whole.prefix(length))) == nil)
            var shorter = Array(whole.prefix(length))
            if length > 1 { shorter[0] = UInt8(length - 1) }
            #expect(sighting(shorter) == nil)
        }
    }

    @Test mutating func `has no alias from an anonymous sender, and none of another address`() {
        register(at: 0)
        publish(Self.payload(Self.address(until: 60)), at: 0)
        #expect(sighting([2, 1, 6], from: Self.address)?.beacon == Self.keys.beacon)
        #expect(sighting([2, 1, 6], from: DeviceAddress(bits: Self.address.bits, kind: .public)) != nil)
        #expect(sighting([2, 1, 6], from: DeviceAddress(bits: Self.address.bits, kind: .anonymous)) == nil)
        #expect(sighting([2, 1, 6]) == nil)
    }

    @Test mutating func `is received once the registry has it, and no longer when it has not, twice`() {
        for round in 0..<2 {
            let start = round * 1000
            publish(Self.payload(Self.address(until: 10_000)), at: Double(start))
            receive(start + 1...start + 10)
            #expect(gateway.story.count == 2 * round, "the item is unknown: \(gateway.story)")
            register(revision: UInt64(2 * round + 1), at: Double(start + 10))
            receive(start + 11...start + 20)
            #expect(gateway.story.count == 2 * round + 1)
            gateway.receiveOthers(from: Double(start + 20), to: Double(start + 100))
            register(revision: UInt64(2 * round + 2), items: [], at: Double(start + 100))
            receive(start + 101...start + 110)
            #expect(gateway.story == Array(repeating: Self.comesAndGoes, count: round + 1).joined() + [])
            // An item that is added again has no aliases until they are published again.
            #expect(gateway.pipeline.monitoring.aliases.count == 0)
        }
    }

    @Test mutating func `loses its aliases with the next payload or an empty one, twice`() {
        register(at: 0)
        for _ in 0..<2 {
            publish(Self.payload(Self.address(until: 60)), at: 0)
            #expect(sighting([2, 1, 6], from: Self.address) != nil)
            publish(Self.payload(Self.address(Self.other, until: 60)), at: 0)
            #expect(sighting([2, 1, 6], from: Self.address) == nil && sighting([2, 1, 6]) != nil)
            publish(at: 0)
            #expect(sighting([2, 1, 6]) == nil && gateway.pipeline.monitoring.aliases.count == 0)
        }
    }

    @Test
    mutating func
        `keeps its aliases over a lost connection and a refused payload, which info reports until it is right`()
        throws
    {
        register(at: 0)
        publish(Self.payload(Self.address(until: 60)), at: 0)
        gateway.pipeline.disconnected(at: TestGateway.moment(0))
        gateway.connect(at: 0)
        for _ in 0..<2 {
            publish(Array(#"{"v":1,"aliases":[{"address":"C0:11:22:33:44:55"}]}"#.utf8), at: 0)
            #expect(sighting([2, 1, 6], from: Self.address) != nil)
            publish(Array("[]".utf8), of: "bag", at: 0)
            #expect(
                problems == [
                    "items/keys/aliases is refused and changes nothing: \"until\" is missing. Correct the program that publishes it"
                ])
            publish(Self.payload(Self.address(until: 60)), at: 0)
            #expect(problems.isEmpty)
        }
        #expect(gateway.pipeline.effects.refused == ["missing_key": 2, "not_an_object": 2])
    }

    @Test mutating func `is refused more aliases than a gateway stores, and gets them when others are gone`() throws {
        let many = ItemAliases(
            aliases: (0..<ItemAliases.most).map { number in
                Self.address(DeviceAddress(bits: UInt64(number), kind: .random), until: 60)
            })
        let items = AliasTable.most / ItemAliases.most
        for _ in 0..<2 {
            for number in 0..<items { publish(many.bytes, of: "i\(number)", at: 0) }
            #expect(problems.isEmpty && gateway.pipeline.monitoring.aliases.count == AliasTable.most)
            publish(Self.payload(Self.address(until: 60)), at: 0)
            #expect(gateway.pipeline.monitoring.aliases.count == AliasTable.most)
            #expect(problems.count == 1 && problems[0].hasPrefix("items/keys/aliases is refused and changes nothing: "))
            for number in 0..<items { publish(of: "i\(number)", at: 0) }
            publish(Self.payload(Self.address(until: 60)), at: 0)
            #expect(problems.isEmpty && gateway.pipeline.monitoring.aliases.count == 1)
            publish(at: 0)
        }
        #expect(gateway.pipeline.effects.refused == ["too_many_aliases": 2])
    }

    @Test mutating func `is received until the end by the new time after the wall clock was set`() {
        register(at: 0)
        publish(Self.payload(Self.address(until: 300)), at: 0)
        receive(1...10)
        #expect(gateway.story == ["enter 0/7"])
        // The clock was ten minutes slow: the alias ended long ago.
        receive(11...60, shift: 600)
        #expect(state == .unknown)
        receive(61...70)
        #expect(gateway.story == ["enter 0/7"] && state == .inside)
    }

    @Test mutating func `shares an address with another item, which has it for as long as its alias ends later`() {
        let bag = RegistryItem(
            id: "bag", name: "Bag", beacon: BeaconIdentity(uuid: TestGateway.bag.uuid, major: 0, minor: 8))
        register(items: [Self.keys, bag], at: 0)
        publish(Self.payload(Self.address(until: 60)), at: 0)
        publish(Self.payload(Self.address(until: 61)), of: "bag", at: 0)
        #expect(sighting([2, 1, 6], from: Self.address)?.beacon == bag.beacon)
        publish(Self.payload(Self.address(until: 62)), at: 0)
        #expect(sighting([2, 1, 6], from: Self.address)?.beacon == Self.keys.beacon)
        publish(Self.payload(Self.address(until: 61), Self.address(until: 60)), at: 0)
        #expect(
            sighting([2, 1, 6], from: Self.address)?.beacon == bag.beacon,
            "the first by its id, of two that end together")
    }

    @Test mutating func `has its addresses in no topic but the response to beacons, and never in the log`() throws {
        register(at: 0)
        for text in ["\(Self.address)", "c0:11:22:33:44:55x"] {
            publish(Array("{\"aliases\":[{\"address\":\"\(text)\",\"until\":\"2027-01-01T00:00:00Z\"}]}".utf8), at: 0)
        }
        receive(1...100)
        gateway.ask("beacons", at: 100)
        gateway.advance(to: 200)
        let response = Topic.gatewayResponse(gateway: "kitchen", what: "beacons")
        #expect(problems.count == 1 && gateway.published(on: response).last?.contains("C0:11:22:33:44:55") == true)
        let others = gateway.outputs.compactMap { output in
            guard case .publish(let message) = output else { return "\(output)" }
            return message.topic == response ? nil : String(decoding: message.payload, as: UTF8.self)
        }
        #expect(others.count > 10 && !others.contains { $0.lowercased().contains("c0:11:22:33:44:55") })
    }
}
