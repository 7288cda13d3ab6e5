/// CRC-32C (Castagnoli), as in ext4 and iSCSI. It detects every burst of up to 32 bits, and all but one in four billion
/// of the other errors.
///
/// Eight bytes at a time: a start and a search of the whole log compute it for up to 64 MB.
func checksum(_ bytes: RawSpan, from start: Int, to end: Int) -> UInt32 {
    let table = castagnoli.span
    var sum = ~UInt32(0)
    var offset = start
    while end - offset >= 8 {
        let word = bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian ^ UInt64(sum)
        // The first byte is followed by seven others, so its share is in the last table.
        sum = table[0x700 | Int(UInt8(truncatingIfNeeded: word))]
        sum ^= table[0x600 | Int(UInt8(truncatingIfNeeded: word >> 8))]
        sum ^= table[0x500 | Int(UInt8(truncatingIfNeeded: word >> 16))]
        sum ^= table[0x400 | Int(UInt8(truncatingIfNeeded: word >> 24))]
        sum ^= table[0x300 | Int(UInt8(truncatingIfNeeded: word >> 32))]
        sum ^= table[0x200 | Int(UInt8(truncatingIfNeeded: word >> 40))]
        sum ^= table[0x100 | Int(UInt8(truncatingIfNeeded: word >> 48))]
        sum ^= table[Int(UInt8(truncatingIfNeeded: word >> 56))]
        offset += 8
    }
    while offset < end {
        let byte = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
        sum = table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ (sum >> 8)
        offset += 1
    }
    return ~sum
}

/// Eight tables of 256: what a byte contributes to the checksum if so many bytes follow it in the same word.
private let castagnoli: [UInt32] = {
    var table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0x82F6_3B78 }
    }
    for index in 256..<2048 {
        let former: UInt32 = table[index - 256]
        let low = Int(UInt8(truncatingIfNeeded: former))
        table.append(table[low] ^ (former >> 8))
    }
    return table
}()

/// The CRC-32C of all `bytes`.
package func checksum(of bytes: [UInt8]) -> UInt32 {
    checksum(bytes.span.bytes, from: 0, to: bytes.count)
}
