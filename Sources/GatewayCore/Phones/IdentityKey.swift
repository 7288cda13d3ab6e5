import Beacons
import CCrypto

/// The identity resolving key (IRK) of a phone or a watch: whoever has it recognises the device, although its address changes every quarter of an
/// hour.
///
/// A key is a secret. Only `beacon` is published, from which nobody finds the key.
package struct IdentityKey: Hashable, Sendable, CustomStringConvertible {
    /// The bytes of the key, the first one first.
    let bytes: [UInt8]

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// Reads the notations in use: 32 hexadecimal digits, with `:` or `-` between or without, or Base64; `nil` for anything else.
    package init?(_ text: some StringProtocol) {
        let digits = text.utf8.filter { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "-") }
        let values = digits.compactMap { hexadecimalValue(of: $0) }
        if digits.count == 32, values.count == 32 {
            self.init(bytes: (0..<16).map { values[2 * $0] << 4 | values[2 * $0 + 1] })
        } else {
            // Sixteen bytes are 22 characters of Base64 and two that pad.
            let encoded = Array(text.utf8)
            var decoded = [UInt8](repeating: 0, count: 18)
            guard encoded.count == 24, encoded.suffix(2) == [UInt8(ascii: "="), UInt8(ascii: "=")],
                EVP_DecodeBlock(&decoded, encoded, 24) == 18
            else { return nil }
            self.init(bytes: Array(decoded.prefix(16)))
        }
    }

    /// The same key with its last byte first. Programs print keys in either order.
    var reversed: IdentityKey { IdentityKey(bytes: bytes.reversed()) }

    private static let namespace: [UInt8] = [
        0x6E, 0x0C, 0x5B, 0x1A, 0x8D, 0x5F, 0x4B, 0x0E, 0x9C, 0x37, 0x52, 0xA1, 0xF3, 0x2D, 0x44, 0xB6,
    ]

    /// The identity in topics and in the registry: a UUID of version 5 (RFC 9562), which is the same in either order of the bytes; major and minor are 0.
    package var beacon: BeaconIdentity {
        let back = reversed.bytes
        let name = Self.namespace + (bytes.lexicographicallyPrecedes(back) ? bytes : back)
        var digest = [UInt8](repeating: 0, count: Int(SHA_DIGEST_LENGTH))
        SHA1(name, name.count, &digest)
        var halves = digest.withUnsafeBytes { bytes in
            (0..<2).map { UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self)) }
        }
        halves[0] = halves[0] & ~0xF000 | 0x5000
        halves[1] = halves[1] & ~(0b11 << 62) | 0b10 << 62
        return BeaconIdentity(uuid: BeaconUUID(high: halves[0], low: halves[1]), major: 0, minor: 0)
    }

    /// Whether a beacon has the form of `beacon`: a UUID of version 5, major 0 and minor 0.
    static func mayHave(_ beacon: BeaconIdentity) -> Bool {
        beacon.uuid.high & 0xF000 == 0x5000 && beacon.uuid.low >> 62 == 0b10 && beacon.major == 0 && beacon.minor == 0
    }

    /// What may be read by everybody: the identity, not the key.
    package var description: String { "key of \(beacon)" }
}
