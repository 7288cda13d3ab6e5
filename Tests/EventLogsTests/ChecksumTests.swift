import Testing

@testable import EventLogs

/// The checksum of frames: files of former versions must stay readable.
struct ChecksumTests {
    /// From RFC 3720, and the usual check of nine digits.
    static let known: [(bytes: [UInt8], sum: UInt32)] = [
        (Array(repeating: 0, count: 32), 0x8A91_36AA), (Array(repeating: 0xFF, count: 32), 0x62A8_AB43),
        (Array(0..<32), 0x46DD_794E), (Array((0..<32).reversed()), 0x113F_DB5C),
        (Array("123456789".utf8), 0xE306_9283), ([], 0),
    ]

    @Test(arguments: known.indices) func `known bytes have their known checksums`(index: Int) {
        #expect(checksum(of: Self.known[index].bytes) == Self.known[index].sum)
    }

    @Test func `pieces of every length and place have the checksum that a bit at a time gives`() {
        let bytes = (0..<64).map { UInt8(truncatingIfNeeded: $0 * $0 * 37 + 11) }
        for start in 0..<9 {
            for end in start...bytes.count {
                var sum = ~UInt32(0)
                for byte in bytes[start..<end] {
                    sum ^= UInt32(byte)
                    for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0x82F6_3B78 }
                }
                #expect(checksum(bytes.span.bytes, from: start, to: end) == ~sum)
            }
        }
    }
}
