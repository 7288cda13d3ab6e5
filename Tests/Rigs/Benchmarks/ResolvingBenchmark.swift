import Beacons
import GatewayCore

extension Benchmark {
    /// What phones cost: the addresses of strangers, of which each is new, tried with fifty keys.
    static var resolving: Benchmark {
        let file = (10..<60).map { "\($0)" + String(repeating: "0", count: 30) + " Phone \($0)" }
        guard let keys = try? IdentityKeys(file: file.joined(separator: "\n")) else { fatalError("the keys are wrong") }
        var (resolver, bits) = (IdentityResolver(keys), UInt64(0b01) << 46)
        return Benchmark(name: "addresses of strangers, with 50 keys of phones") {
            for _ in 0..<10_000 {
                bits += 1
                let address = DeviceAddress(bits: bits, kind: .random)
                _ = resolver.sighting(of: Advertisement(address: address, rssi: nil, at: .zero))
            }
            return 10_000
        }
    }
}
