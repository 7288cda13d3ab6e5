import Beacons
import Testing

@testable import Locating

@Suite("Evidence")
struct EvidenceTests {
    @Test func `silent gateways that are all alike weigh as much together as one by one`() {
        var chance = SplitMix64(seed: 3)
        func draw(_ range: ClosedRange<Double>) -> Double {
            range.lowerBound + Double(chance.next() >> 11) / Double(1 << 53) * (range.upperBound - range.lowerBound)
        }
        for _ in 0..<200 {
            let gateways = 2 + Int(chance.next() % 20)
            let served = (0..<gateways).map { _ in [Int(chance.next() % 6)] }
            var all = Fingerprints(gateways: gateways)
            for room in GuessedFingerprints.fingerprints(served: served, rooms: 6) { all.append(contentsOf: room) }
            let evidence = Evidence(all, offset: 3, base: GuessedFingerprints.elsewhere)
            let received = (0..<gateways).filter { _ in chance.next() % 3 == 0 }.map {
                (gateway: $0, rssi: draw(-95 ... -50))
            }
            guard let strongest = received.map(\.rssi).max() else { continue }
            let floor = strongest - draw(5...30)
            let silent = (0..<gateways).filter { gateway in
                !received.contains { $0.gateway == gateway } && chance.next() % 4 != 0
            }
            let plain = Observation(
                received: received.map { ($0.gateway, max($0.rssi, floor)) } + silent.map { ($0, floor) })
            withUnsafeTemporaryAllocation(of: Bool.self, capacity: gateways) { isSilent in
                isSilent.initialize(repeating: false)
                for gateway in silent { isSilent[gateway] = true }
                let moment = Evidence.ClippedObservation(
                    received: received, floor: floor, silent: silent.count, isSilent: isSilent)
                for place in 0..<evidence.places {
                    let (one, other) = (evidence.weigh(place, plain), evidence.weigh(place, moment))
                    #expect(abs(one - other) < 1e-9 * max(1, abs(one)), "place \(place): \(one), \(other)")
                }
            }
        }
    }
}
