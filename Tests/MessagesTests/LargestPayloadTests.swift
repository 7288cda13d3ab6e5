import Beacons
import Testing

@testable import Messages

/// What can be written can be read back, also with as much in it as anything permits.
@Suite struct LargestPayloadTests {
    private static let id = String(repeating: "i", count: 64)
    /// The longest name that a configuration accepts, with characters that JSON escapes.
    private static let name = String(repeating: "\"Küche\\", count: 32)

    private func ids(_ count: Int) -> [String] {
        (0..<count).map { number in
            let digits = String(number)
            return Self.id.dropLast(digits.count) + digits
        }
    }

    @Test func `the fullest manifest is read back, and a connection accepts it`() throws {
        let manifest = RegistryManifest(revision: 7, items: ids(RegistryManifest.longestList), regions: [])
        #expect(try RegistryManifest(parsing: manifest.bytes) == manifest)
        #expect(manifest.bytes.count < 1 << 20, "BrokerOptions.largestPayload")
    }

    @Test func `a location with more rooms than fit is read back with the likeliest`() throws {
        let rooms = (0..<300).map { ItemLocation.RoomBelief("\($0)" + Self.name, 0.5) }
        let location = ItemLocation(
            item: Self.id, name: Self.name, presence: .home, room: Self.name, confidence: 0.5, rooms: rooms,
            gateway: Self.id, stamp: stamp(uptime: 1), error: String(repeating: "e", count: Fields.longestText))
        let read = try ItemLocation(parsing: location.bytes)
        let found = try #require(read.rooms)
        #expect(found.count > 50 && found == Array(rooms.prefix(found.count)))
    }

    @Test(arguments: [10, 300, 4096, 5000])
    func `the info of a gateway and of an aggregator with many problems is read back with the first`(length: Int) throws
    {
        let problems = (0..<300).map { "\($0) " + String(repeating: "p\n", count: length / 2 - 2) }
        let log = (0..<300).map { LogRange(boot: Boot("\($0).kfqx")!, seqs: SeqRange(from: 1, to: 1 << 53)) }
        let info = GatewayInfo(
            gateway: Self.id, room: Self.name, version: "1", stamp: stamp(uptime: 1),
            radio: .init(source: "simulation", state: .poweredOn, reason: Self.name), log: log, problems: problems,
            regions: 1)
        let read = try GatewayInfo(parsing: info.bytes)
        #expect(read.problems == Array(problems.prefix(read.problems.count)))
        #expect(read.problems.isEmpty == (length > Fields.longestText))
        #expect(read.log.count == GatewayInfo.longestList)
        var site = AggregatorInfo(
            version: "1", stamp: stamp(uptime: 1), items: 1, gatewaysAlive: 1, gatewaysGone: 0, log: log, revision: 1,
            problems: problems)
        let rooms = (0..<300).map { ("\($0) " + Self.name.prefix(length / 20), $0) }
        site.floors = Dictionary(uniqueKeysWithValues: rooms)
        for (room, number) in rooms { site.rooms["gateway-\(number)"] = room }
        let found = try AggregatorInfo(parsing: site.bytes)
        #expect(found.floors.allSatisfy { site.floors[$0.key] == $0.value })
        #expect(found.log.count == GatewayInfo.longestList)
    }

    @Test func `as many aliases as an item may have are read back, and one more is refused`() throws {
        let alias = ItemAlias(.serviceData(service: 0xFEAA, beginning: Array(0..<32)), until: kitchenAt)
        let most = ItemAliases(aliases: Array(repeating: alias, count: ItemAliases.most))
        #expect(try ItemAliases(parsing: most.bytes) == most)
        #expect(throws: PayloadRefusal.tooMany("aliases", most: 256)) {
            try ItemAliases(parsing: ItemAliases(aliases: most.aliases + [alias]).bytes)
        }
    }

    @Test func `a beacon event with more regions than fit is read back with the first`() throws {
        let event = BeaconEvent(
            .enter, seq: 1, stamp: stamp(uptime: 1), gateway: Self.id, room: Self.name, beacon: bag, regions: ids(300))
        #expect(try BeaconEvent(parsing: event.bytes).regions == Array(ids(300).prefix(BeaconEvent.longestList)))
    }
}
