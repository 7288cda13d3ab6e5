import Beacons
import Messages
import Settings
import Testing

@testable import SiteCore

@Suite struct ItemLocationsTests {
    private var effects = SiteEffects(prefix: .standard, boot: Boot("3.aggr")!, at: TestSite.moment(10))
    private var gateways = Gateways(at: TestSite.moment(0).instant)
    private var items: ItemLocations

    init() {
        let reading = readSettings(Array(TestSite.bagItem.utf8), file: "test.toml") { AggregatorConfiguration($0) }
        let configuration = reading.configuration!
        items = ItemLocations(
            configuration, part: SitePart(configuration.subscribe),
            events: ItemEvents(boot: Boot("3.aggr")!, configuration.log, publishedAtWrite: nil),
            settlesAt: TestSite.moment(3).instant)
        items.match(SiteRegistry(configuration, stored: nil, boot: nil), &effects)
        items.surroundings.scans("hall", since: TestSite.moment(0).instant)
    }

    /// The hall has the bag inside, and then the bag exits.
    private mutating func visit() {
        items.table["laptop-bag"]?.presenceByGateway.inside(at: "hall", until: TestSite.moment(60).instant)
        let cause = ItemEvent.Cause(EventID(boot: Boot("17.kfqx")!, seq: 1), at: "hall")
        let entering = Entering(room: "Hall", at: TestSite.start, cause: cause)
        items.change("laptop-bag") { [gateways] in $0.judge(&$1, entering: entering, gateways, &effects) }
        items.table["laptop-bag"]?.presenceByGateway.exited(at: "hall", when: TestSite.moment(9).instant)
        items.judge("laptop-bag", gateways, &effects)
    }

    @Test mutating func `an item that exits at its only gateway has left, with one event`() {
        visit()
        #expect(items.table["laptop-bag"]?.presence == .away)
        #expect(items.events.log.upcoming == 2)
    }

    @Test mutating func `nothing is decided while reports of the past are collected`() {
        items.phase = .collecting
        visit()
        #expect(items.table["laptop-bag"]?.presence == .unknown)
        #expect(items.events.log.upcoming == 1 && effects.outputs.isEmpty)
    }

    @Test mutating func `an item that the registry no longer has is forgotten, and no longer looked at`() {
        visit()
        let reading = readSettings([], file: "test.toml") { AggregatorConfiguration($0) }
        items.match(SiteRegistry(reading.configuration!, stored: nil, boot: nil), &effects)
        #expect(items.table.count == 0 && items.deadlines.count == 0)
    }
}
