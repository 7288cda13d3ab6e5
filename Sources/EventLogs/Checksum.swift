/// CRC-32C (Castagnoli), as in ext4 and iSCSI. It detects every burst of up to 32 bits, and all but one in four billion
/// of the other errors.
func checksum(_ bytes: RawSpan, from start: Int, to end: Int) -> UInt32 {
    let table = castagnoli.span
    var sum = ~UInt32(0)
    for offset in start..<end {
        let byte = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
        sum = table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ (sum >> 8)
    }
    return ~sum
}

private let castagnoli: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0x82F6_3B78 }
}

/// The CRC-32C of all `bytes`.
public func checksum(of bytes: [UInt8]) -> UInt32 {
    checksum(bytes.span.bytes, from: 0, to: bytes.count)
}
