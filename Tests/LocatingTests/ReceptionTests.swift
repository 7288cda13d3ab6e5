import Beacons
import Testing

@testable import Locating

@Suite("A deaf gateway")
struct ReceptionTests {
    private func at(_ second: Int) -> Instant { Instant(milliseconds: Int64(second) * 1000) }

    private func scanning(_ gateways: [String]) -> Reception {
        var reception = Reception()
        for gateway in gateways { reception.scans(gateway, since: .zero) }
        return reception
    }

    /// `silent` receives nothing for two minutes while an item visits each of the others.
    private func walkedPast() -> Reception {
        var reception = scanning(["a", "b", "c", "silent"])
        for second in 0..<120 {
            for gateway in ["a", "b", "c"] {
                _ = reception.receives(gateway, nearest: ["a", "b", "c"][second / 40], at: at(second))
            }
        }
        return reception
    }

    @Test func `a gateway that receives nothing while an item visits all the others is deaf, and found once`() {
        var reception = walkedPast()
        let early = reception.newlyDeaf(at: at(119))
        #expect(early.isEmpty)
        let found = reception.newlyDeaf(at: at(120))
        #expect(found == ["silent"])
        let again = reception.newlyDeaf(at: at(121))
        #expect(again.isEmpty)
    }

    @Test func `a deaf gateway that receives something is not deaf any more`() {
        var reception = walkedPast()
        let found = reception.newlyDeaf(at: at(120))
        #expect(found == ["silent"])
        let wasDeaf = reception.receives("silent", nearest: "a", at: at(121))
        #expect(wasDeaf)
        let isDeaf = reception.receives("silent", nearest: "a", at: at(122))
        #expect(!isDeaf)
        let later = reception.newlyDeaf(at: at(130))
        #expect(later.isEmpty)
    }

    @Test func `a far gateway is not deaf because it does not receive a still item`() {
        var reception = scanning(["a", "b", "c", "far"])
        for second in 0..<3600 {
            for gateway in ["a", "b", "c"] { _ = reception.receives(gateway, nearest: "a", at: at(second)) }
            let found = reception.newlyDeaf(at: at(second))
            #expect(found.isEmpty)
        }
    }

    @Test func `in a quiet house no gateway is deaf`() {
        var reception = scanning(["a", "b"])
        let found = reception.newlyDeaf(at: at(86_400))
        #expect(found.isEmpty)
    }

    @Test func `a gateway that does not scan is not deaf`() {
        var reception = walkedPast()
        reception.lost("silent")
        let found = reception.newlyDeaf(at: at(120))
        #expect(found.isEmpty)
    }

    @Test func `a deaf gateway's silence is no evidence against the room beside it on a plan`() {
        let row = Row(rooms: 3)
        let model = LocatorModel(site: row.plan)
        func share(isDeaf: Bool) -> Double {
            var locator = Locator(model: model)
            for gateway in 0..<3 { locator.scans(gateway: gateway, since: .zero) }
            locator.set(isDeaf: isDeaf, gateway: 1)
            for second in 1...60 {
                locator.report(gateway: 0, rssi: -66, at: at(second))
                locator.report(gateway: 2, rssi: -66, at: at(second))
            }
            return locator.estimate(at: at(60)).rooms.first { $0.room == "room 1" }?.confidence ?? 0
        }
        #expect(share(isDeaf: false) == 0)
        #expect(share(isDeaf: true) > 0.4)
    }
}
