import Beacons
import Testing

@testable import SiteCore

@Suite("Values by gateway")
struct ByGatewayTests {
    @Test(arguments: 1...20)
    func `an array by gateway has what a dictionary has`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var (few, dictionary): (ByGateway<Int>, [String: Int]) = ([:], [:])
        for step in 0..<200 {
            let gateway = "gateway-\(Int.random(in: 0..<6, using: &random))"
            switch Int.random(in: 0..<5, using: &random) {
            case 0: (few[gateway], dictionary[gateway]) = (nil, nil)
            case 1 where step % 7 == 0:
                few.change { $1 % 3 == 0 ? nil : $1 + 1 }
                dictionary = dictionary.filter { $0.value % 3 != 0 }.mapValues { $0 + 1 }
            default: (few[gateway], dictionary[gateway]) = (step, step)
            }
            #expect(few.count == dictionary.count && few.isEmpty == dictionary.isEmpty)
            #expect(few[gateway] == dictionary[gateway])
        }
        #expect(Dictionary(uniqueKeysWithValues: few.map { ($0.key, $0.value) }) == dictionary)
        #expect(few.values.sorted() == dictionary.values.sorted())
    }
}
