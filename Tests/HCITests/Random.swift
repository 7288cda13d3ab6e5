/// SplitMix64: the same seed gives the same numbers, so that a failure can be reproduced.
struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

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
