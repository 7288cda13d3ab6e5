import Beacons
import Messages
import Testing

@Suite struct MessageTests {
    /// The rows of the table in the reference's page Topics.
    @Test(
        arguments: [
            (.gatewayAvailability(gateway: "k"), .atLeastOnce, true),
            (.gatewayInfo(gateway: "k"), .atLeastOnce, true),
            (.gatewayTelemetry(gateway: "k"), .atMostOnce, false),
            (.gatewayRequest(gateway: "k", what: "beacons"), .atLeastOnce, false),
            (.gatewayResponse(gateway: "k", what: "beacons"), .atLeastOnce, false),
            (.proximity(bag, gateway: "k"), .atMostOnce, true),
            (.beaconEvent(bag, gateway: "k"), .atLeastOnce, false),
            (.regionState(region: "r", gateway: "k"), .atLeastOnce, true),
            (.regionEvent(region: "r", gateway: "k"), .atLeastOnce, false),
            (.registryItem("i"), .atLeastOnce, true),
            (.registryRegion("r"), .atLeastOnce, true),
            (.registryManifest, .atLeastOnce, true),
            (.registryPart(7), .atLeastOnce, true),
            (.itemLocation(item: "i"), .atLeastOnce, true),
            (.itemEvent(item: "i"), .atLeastOnce, false),
            (.itemHealth(item: "i"), .atLeastOnce, true),
            (.itemAliases(item: "i"), .atLeastOnce, true),
            (.itemNotification(item: "i"), .atLeastOnce, true),
            (.itemNotificationEvent(item: "i"), .atLeastOnce, false),
            (.itemAcknowledge(item: "i"), .atLeastOnce, false),
            (.personLocation(person: "p"), .atLeastOnce, true),
            (.personEvent(person: "p"), .atLeastOnce, false),
            (.roomPeople(room: "r"), .atLeastOnce, true),
            (.roomItems(room: "r"), .atLeastOnce, true),
            (.roomOccupancy(room: "r"), .atLeastOnce, true),
            (.aggregatorAvailability, .atLeastOnce, true),
            (.aggregatorInfo, .atLeastOnce, true),
            (.aggregatorRequest(what: "events"), .atLeastOnce, false),
            (.aggregatorResponse(what: "events"), .atLeastOnce, false),
        ] as [(Topic, QoS, Bool)])
    func `a topic determines QoS and retention`(topic: Topic, qos: QoS, retain: Bool) {
        let message = Message(topic, bytes: [1])
        #expect(message.qos == qos)
        #expect(message.retain == retain)
        #expect(message.expirySeconds == nil)
    }

    @Test func `a payload with a validity expires at the broker after the same time`() {
        let ranged = RangedState(
            gateway: "kitchen", proximity: .unknown, sightings: 0, addresses: 0, stamp: stamp(uptime: 1), validFor: 25)
        #expect(Message(.proximity(bag, gateway: "kitchen"), ranged).expirySeconds == 25)
        let state = RegionState(.unknown, gateway: "kitchen", stamp: stamp(uptime: 1))
        #expect(Message(.regionState(region: "bags", gateway: "kitchen"), state).expirySeconds == 75)
        let info = GatewayInfo(
            gateway: "kitchen", version: "1", stamp: stamp(uptime: 1),
            radio: .init(source: "simulation", state: .poweredOn), regions: 0)
        #expect(Message(.gatewayInfo(gateway: "kitchen"), info).expirySeconds == 75)
        let aggregator = AggregatorInfo(
            version: "1", stamp: stamp(uptime: 1), items: 0, gatewaysAlive: 0, gatewaysGone: 0, revision: 0)
        #expect(Message(.aggregatorInfo, aggregator).expirySeconds == 75)
        let manifest = RegistryManifest(revision: 1, items: [], regions: [])
        #expect(Message(.registryManifest, manifest).expirySeconds == nil)
        #expect(Message(.aggregatorAvailability, .offline).expirySeconds == nil)
    }

    @Test func `a message that is written with a reused buffer has the same bytes`() {
        var json = JSONWriter()
        let manifest = RegistryManifest(revision: 42, items: ["laptop-bag"], regions: [])
        for _ in 0..<2 {
            let message = Message(.registryManifest, manifest, using: &json)
            #expect(message == Message(.registryManifest, manifest))
            #expect(message.payload == manifest.bytes)
        }
    }

    @Test func `a clearing message is retained and empty`() {
        let message = Message.clearing(.itemLocation(item: "laptop-bag"))
        #expect(message.payload.isEmpty)
        #expect(message.retain)
    }

    @Test func `an occupancy is read from two words only, in small or in capital letters`() {
        for (word, occupancy) in [("on", Occupancy.on), ("ON", .on), ("off", .off), ("OFF", .off)] {
            #expect(Occupancy(parsing: Array(word.utf8)) == occupancy)
        }
        #expect(Occupancy.allCases.allSatisfy { Occupancy(parsing: $0.bytes) == $0 })
        for other in ["", "On", "on ", "\"on\"", "true", "1", "{\"occupancy\":true}", "\u{FEFF}on"] {
            #expect(Occupancy(parsing: Array(other.utf8)) == nil)
        }
    }

    @Test func `an availability is read from two words only`() {
        #expect(Message(.aggregatorAvailability, .online).payload == Array("online".utf8))
        #expect(Availability(parsing: Array("online".utf8)) == .online)
        #expect(Availability(parsing: Array("offline".utf8)) == .offline)
        for other in ["", "Online", "online ", "\"online\"", "true"] {
            #expect(Availability(parsing: Array(other.utf8)) == nil)
        }
    }

    @Test(
        arguments: [
            (.seconds(10), 25), (.seconds(5), 13), (.seconds(1), 3), (.milliseconds(100), 1), (.zero, 1),
            (Interval(nanoseconds: .min), 1), (Interval(nanoseconds: .max), 604_800),
        ] as [(Interval, UInt32)])
    func `a ranged state is valid for two and a half heartbeats`(heartbeat: Interval, seconds: UInt32) {
        #expect(Validity.rangedSeconds(heartbeat: heartbeat) == seconds)
    }

    @Test func `a message behind a long one takes no more memory than its payload`() throws {
        var json = JSONWriter(reserving: 1024)
        let ids = (0..<5000).map { "item-\($0)" }
        let manifest = RegistryManifest(revision: 1, origin: nil, items: ids, regions: [])
        let long = Message(.registryManifest, manifest, using: &json)
        let boot = try #require(Boot("3.aggr"))
        let stamp = Stamp(at: WallTime(milliseconds: 1_795_239_612_345), boot: boot, uptime: .zero)
        let location = ItemLocation(item: "bag", name: "Bag", presence: .home, room: "Hall", stamp: stamp)
        let waiting = (0..<3).map { _ in Message(.itemLocation(item: "bag"), location, using: &json) }
        #expect(long.payload == manifest.bytes)
        for message in waiting {
            #expect(message.payload == location.bytes)
            #expect(message.payload.capacity < message.payload.count + 64)
        }
    }
}
