import Beacons
import Messages
import Settings
import Testing

@testable import SiteCore

@Suite struct GatewayReportsTests {
    private var effects = SiteEffects(prefix: .standard, boot: Boot("3.aggr")!, at: TestSite.moment(0))
    private var reports: GatewayReports
    private let registry: SiteRegistry

    init() {
        let reading = readSettings(Array(TestSite.bagItem.utf8), file: "test.toml") { AggregatorConfiguration($0) }
        let configuration = reading.configuration!
        registry = SiteRegistry(configuration, stored: nil, boot: Boot("3.aggr")!)
        var items = ItemLocations(
            configuration, part: SitePart(configuration.subscribe),
            events: ItemEvents(boot: Boot("3.aggr")!, configuration.log, publishedAtWrite: nil),
            settlesAt: TestSite.moment(0).instant)
        items.match(registry, &effects)
        reports = GatewayReports(configuration.site, items: items, at: TestSite.moment(0).instant)
    }

    private func stamp(_ seconds: Double) -> Stamp {
        Stamp(at: TestSite.start + .seconds(seconds), boot: Boot("17.kfqx")!, uptime: .zero + .seconds(500 + seconds))
    }

    private mutating func receive(_ topic: Topic, _ payload: [UInt8], isRetained: Bool = false) throws {
        try reports.receive(topic, payload, isRetained: isRetained, registry, &effects)
    }

    private mutating func receiveInfo(_ gateway: String, room: String) throws {
        let info = GatewayInfo(
            gateway: gateway, room: room, version: "1", stamp: stamp(0),
            radio: GatewayInfo.Radio(source: "test", state: .poweredOn), regions: 0)
        try receive(.gatewayInfo(gateway: gateway), info.bytes)
    }

    private mutating func receiveRanged(at gateway: String) throws {
        let state = RangedState(
            gateway: gateway, proximity: .near, accuracy: 1, rssi: -60, sightings: 9, addresses: 1, stamp: stamp(0),
            validFor: 25)
        try receive(.proximity(TestSite.bag, gateway: gateway), state.bytes)
    }

    @Test mutating func `a gateway's first message gives it a record, and changes its device`() throws {
        try receive(.gatewayAvailability(gateway: "hall"), Availability.online.bytes)
        #expect(reports.gateways["hall"]?.availability == .online)
        #expect(effects.devices == [.changedGateway("hall")])
    }

    @Test mutating func `an info changes the gateway's device if the room is another one, and only then`() throws {
        try receiveInfo("hall", room: "Hall")
        for (room, changes) in [("Hall", []), ("Attic", [Announcements.Change.changedGateway("hall")])] {
            effects.devices = []
            try receiveInfo("hall", room: room)
            #expect(effects.devices == changes)
        }
    }

    @Test mutating func `the first ranged state of an item at a gateway makes the item's device list that gateway`()
        throws
    {
        for _ in 0..<2 { try receiveRanged(at: "hall") }
        #expect(effects.devices == [.changedGateway("hall"), .received(item: "laptop-bag", at: "hall")])
        #expect(reports.items.table["laptop-bag"]?.ranged["hall"] != nil)
    }

    @Test mutating func `a ranged state of a beacon without an item makes no record of its gateway`() throws {
        let stranger = BeaconIdentity(uuid: TestSite.bag.uuid, major: 9, minor: 9)
        let state = RangedState(
            gateway: "hall", proximity: .near, accuracy: 1, rssi: -60, sightings: 9, addresses: 1, stamp: stamp(0),
            validFor: 25)
        try receive(.proximity(stranger, gateway: "hall"), state.bytes)
        #expect(reports.gateways.count == 0)
    }

    @Test mutating func `a retained event is refused, and its gateway gets no record`() throws {
        let event = BeaconEvent(
            .enter, seq: 1, stamp: stamp(0), gateway: "hall", beacon: TestSite.bag, regions: ["laptop-bag"])
        try receive(.beaconEvent(TestSite.bag, gateway: "hall"), event.bytes, isRetained: true)
        #expect(effects.refused == ["retained_event": 1] && reports.gateways.count == 0)
    }

    @Test mutating func `a gateway that is alive is not removed, and one that is offline is`() throws {
        try receiveInfo("hall", room: "Hall")
        try receive(.gatewayAvailability(gateway: "hall"), Availability.online.bytes)
        #expect(throws: Refused.self) { try reports.remove(gateway: "hall", &effects) }
        try receive(.gatewayAvailability(gateway: "hall"), Availability.offline.bytes)
        effects.devices = []
        try reports.remove(gateway: "hall", &effects)
        #expect(reports.gateways.count == 0 && effects.devices == [.removedGateway("hall")])
    }
}
