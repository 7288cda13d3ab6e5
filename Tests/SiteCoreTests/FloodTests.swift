import Beacons
import Messages
import Testing

@testable import SiteCore

/// Messages of strangers: more gateways, entries and beacons than a site has.
struct FloodTests {
    @Test func `gateways beyond the limit are ignored, and are a problem in info`() throws {
        var site = TestSite("")
        for number in 0..<GatewayRecord.most { site.gateway("gateway-\(number)", room: "Room") }
        #expect(site.pipeline.reports.gateways.count == GatewayRecord.most)
        func problems() throws -> [String] {
            let info = try #require(site.published(on: .aggregatorInfo).last)
            return try AggregatorInfo(parsing: Array(info.utf8)).problems
        }
        #expect(try problems() == [])
        site.gateway("one-more", room: "Room")
        #expect(site.pipeline.reports.gateways.count == GatewayRecord.most)
        #expect(try problems().contains { $0.contains("more than \(GatewayRecord.most) gateways") })
        let infos = site.published(on: .aggregatorInfo).count
        for number in 0..<1000 { site.gateway("stranger-\(number)", room: "Room") }
        #expect(site.published(on: .aggregatorInfo).count == infos, "the problem is reported once")
    }

    @Test func `retained entries of strangers take bounded memory`() {
        var site = TestSite("", settling: false)
        let payload = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        for number in 0..<100 { site.deliver(.registryItem("large-\(number)"), payload, retained: true) }
        #expect(site.pipeline.registryPublisher.held.strays.count <= 32)
        for number in 0..<(BrokerRegistry.mostStrays + 100) {
            site.deliver(.registryItem("stranger-\(number)"), Array("{}".utf8), retained: true)
        }
        #expect(site.pipeline.registryPublisher.held.strays.count <= BrokerRegistry.mostStrays)
    }

    @Test func `beacons of strangers leave nothing behind`() {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        let tables = site.pipeline.tables.filter { $0.name != "retained topics of one gateway" }.map(\.count)
        for number in 0..<30_000 {
            let beacon = BeaconIdentity(
                uuid: TestSite.bag.uuid, major: UInt16(1000 + number >> 8), minor: UInt16(number & 0xFF))
            site.deliver(.proximity(beacon, gateway: "kitchen"), Array("{}".utf8), retained: true)
        }
        #expect(site.pipeline.tables.filter { $0.name != "retained topics of one gateway" }.map(\.count) == tables)
        #expect(site.pipeline.reports.gateways["kitchen"]?.retainedCount == GatewayRecord.mostRetained)
    }
}
