import Beacons

extension SplitMix64 {
    /// A number from 0 to below `bound`; the slight bias of the remainder does not matter in tests.
    mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() >> 1) % bound }

    mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }

    /// Changes a few bytes and sometimes the length, like radio errors, memory errors and attackers.
    mutating func damage(_ bytes: inout [UInt8]) {
        for _ in 0..<below(4) where !bytes.isEmpty { bytes[below(bytes.count)] = byte() }
        switch below(8) {
        case 0: bytes.removeLast(below(bytes.count + 1))
        case 1: for _ in 0..<below(20) { bytes.append(byte()) }
        case 2 where !bytes.isEmpty: bytes.remove(at: below(bytes.count))
        default: break
        }
    }
}
