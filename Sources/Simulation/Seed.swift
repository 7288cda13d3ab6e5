import Beacons

/// Where one strand of the house's chance begins: everything in it is drawn from a hash of the house's seed and of what it is for.
///
/// A hash has no state, so that any process can draw what happens at any time without having been there before.
package struct Seed: Hashable, Sendable {
    package private(set) var bits: UInt64

    /// What is drawn for a house of this seed.
    package init(_ seed: UInt64) {
        bits = SplitMix64.scrambled(seed)
    }

    private init(bits: UInt64) {
        self.bits = bits
    }

    /// What a strand is for: two uses never share their chance.
    package enum Use: Int64 {
        case plan, gateways, people, tags, bystanders
        case itinerary, pose, advertising, address, data
        case shadow, flutter, packet, burst, scan, body, absence
    }

    package subscript(use: Use) -> Seed { self[use.rawValue] }

    package subscript(index: Int) -> Seed { self[Int64(index)] }

    package subscript(index: Int64) -> Seed {
        Seed(bits: SplitMix64.scrambled(bits &+ UInt64(bitPattern: index &+ 1) &* SplitMix64.increment))
    }

    /// Of a word: FNV-1a over its UTF-8.
    package subscript(word: String) -> Seed {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in word.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Seed(bits: SplitMix64.scrambled(bits ^ hash))
    }

    /// A short stream of its own.
    package var generator: SplitMix64 { SplitMix64(seed: bits) }

    /// 0 up to, but not, 1.
    package var unit: Double { Variates.uniform(from: bits) }
}
