import Beacons
import Messages
import Settings
import Testing

@testable import SiteCore

/// How one aggregator sees the division of the site, without items and gateways.
struct DivisionTests {
    private var effects = SiteEffects(prefix: .standard, boot: Boot("3.aggr")!, at: TestSite.moment(0))

    private func division(_ toml: String) -> Division {
        let reading = readSettings(Array(toml.utf8), file: "test.toml") { AggregatorConfiguration($0) }
        return Division(SitePart(reading.configuration!.subscribe))
    }

    private func shares(_ majors: UInt16...) -> [UInt8] {
        BeaconShares(shares: majors.map { BeaconShare(uuid: SharedSite.uuid, major: $0) }).bytes
    }

    private func registry() throws -> SiteRegistry {
        let toml = SharedSite.item("Bag", major: 1) + SharedSite.item("Keys", major: 2)
        let reading = readSettings(Array(toml.utf8), file: "test.toml") { AggregatorConfiguration($0) }
        return SiteRegistry(reading.configuration!, stored: nil, boot: nil)
    }

    private mutating func responses() -> [Topic] {
        effects.drainOutputs().compactMap { if case .publish(let message) = $0 { message.topic } else { nil } }
    }

    @Test mutating func `shares divide the site when they arrive, and not when they arrive again`() throws {
        var division = division("")
        let first = try division.receive(shares: shares(1), of: "north", &effects)
        let again = try division.receive(shares: shares(1), of: "north", &effects)
        #expect(first && !again)
        #expect(!division.part.locates(SharedSite.beacon(1, 1)) && division.part.locates(SharedSite.beacon(2, 1)))
        let removed = try division.receive(shares: [], of: "north", &effects)
        #expect(removed && division.part.locates(SharedSite.beacon(1, 1)))
    }

    @Test mutating func `shares of this aggregator's name that it does not have are cleared`() throws {
        var division = division("")
        let isChanged = try division.receive(shares: shares(1), of: "", &effects)
        #expect(!isChanged && division.part.locates(SharedSite.beacon(1, 1)))
        #expect(responses() == [.aggregatorShares])
    }

    @Test mutating func `locations are repeated once, 6 s after another aggregator has started`() throws {
        var division = division("")
        let start = effects.now.instant
        division.receive(availability: Availability.online.bytes, of: "north", isRetained: true, at: start)
        let retained = division.repeatsLocations(at: start + .seconds(100))
        division.receive(availability: Availability.online.bytes, of: "north", isRetained: false, at: start)
        let early = division.repeatsLocations(at: start + .seconds(5.9))
        let due = division.repeatsLocations(at: start + .seconds(6))
        let later = division.repeatsLocations(at: start + .seconds(7))
        #expect(!retained && !early && due && !later)
    }

    @Test mutating func `a request about another aggregator's item is refused only while that one is down`() throws {
        var division = division("")
        let registry = try registry()
        _ = try division.receive(shares: shares(1), of: "north", &effects)
        _ = responses()
        let request = Array(#"{"id":"bag"}"#.utf8)
        #expect(!division.responds(to: "history", request, registry, &effects) && effects.outputs.isEmpty)
        #expect(division.responds(to: "history", Array(#"{"id":"keys"}"#.utf8), registry, &effects))
        #expect(division.responds(to: "alive", [], registry, &effects))
        division.receive(
            availability: Availability.offline.bytes, of: "north", isRetained: false, at: effects.now.instant)
        #expect(!division.responds(to: "history", request, registry, &effects))
        #expect(responses() == [.aggregatorResponse(what: "history")])
    }

    @Test mutating func `an aggregator with a name responds about its own items alone`() throws {
        let division = division("name = \"north\"\n" + SharedSite.share(1))
        let registry = try registry()
        #expect(division.responds(to: "items/acknowledge", Array(#"{"id":"bag"}"#.utf8), registry, &effects))
        #expect(!division.responds(to: "items/acknowledge", Array(#"{"id":"keys"}"#.utf8), registry, &effects))
        #expect(!division.responds(to: "alive", [], registry, &effects))
        #expect(effects.outputs.isEmpty)
    }
}
