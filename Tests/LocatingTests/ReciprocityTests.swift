import Beacons
import Testing

@testable import Locating

@Suite("Receiver offsets from items")
struct ReciprocityTests {
    private let stays = (0..<12).map { (room: [0, 1, 2, 3, 2, 1][$0 % 6], seconds: 60) }

    /// The histories of two items that are carried through four rooms, one 8 dB weaker, as gateways receive them that differ by some dB.
    private func lived(_ better: [Double], _ stays: [(room: Int, seconds: Int)]? = nil) -> [LevelHistory] {
        var row = Row(rooms: 4)
        return [0.0, -8].flatMap { power in
            Recording(
                rows: row.recording(stays ?? self.stays).rows.map { original in
                    var sighting = original
                    sighting.rssi += power + better[Int(sighting.gateway.dropFirst())!]
                    return sighting
                }
            ).histories(site: row.site)
        }
    }

    private func offsets(_ histories: [LevelHistory]) -> [Double] {
        Reciprocity(histories, gateways: (0..<4).map { "g\($0)" }).offsets
    }

    @Test func `a gateway that receives 12 dB better is corrected, less what could be chance`() {
        let found = offsets(lived([0, 12, 0, 0]))
        #expect(found[1] < -6 && found[1] > -12, "\(found)")
        #expect([0, 2, 3].allSatisfy { abs(found[$0]) < 2 }, "\(found)")
    }

    @Test func `gateways that receive alike within 2 dB are not corrected`() {
        #expect(offsets(lived([0, 2, -1, 1])).allSatisfy { abs($0) < 1 })
    }

    @Test func `an item that is still says nothing of receivers`() {
        #expect(offsets(lived([0, 12, 0, 0], [(0, 900)])).allSatisfy { $0 == 0 })
    }

    @Test func `what was learned with an offset is used with the offset, and what is kept to learn from is without it`()
        throws
    {
        let site = Row(rooms: 4).site
        let learned = try #require(Learned.learn(site: site, from: lived([0, 12, 0, 0])))
        #expect(learned.offset(ofGateway: "g1") < -6)
        let model = LocatorModel(site: site, learned: learned)
        var locator = Locator(model: model)
        locator.report(gateway: 1, rssi: -60, at: .zero)
        #expect(locator.levels(at: .zero)[1] == -60)
    }
}
