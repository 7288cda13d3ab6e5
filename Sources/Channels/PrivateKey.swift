import CCrypto

/// A private key on the curve P-256: that of the site (RFC 8292), or that of one message (RFC 8291).
package final class PrivateKey {
    /// The first number that is too large for a key: the order of the curve.
    private static let order: [UInt8] =
        [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8)
        + [0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51]
    /// What stands before and behind the number in a private key of RFC 5915, and before the point in a public key of RFC 5480.
    private static let before: [UInt8] = [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20]
    private static let behind: [UInt8] = [0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    private static let beforePoint: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
        0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    private let key: OpaquePointer
    /// The 32 bytes of the number.
    private let number: [UInt8]

    /// A key from the 32 bytes of its number; `nil` if they are none of the curve.
    private init?(_ number: [UInt8]) {
        guard number.count == 32, number.contains(where: { $0 != 0 }), number.lexicographicallyPrecedes(Self.order)
        else { return nil }
        let bytes = Self.before + number + Self.behind
        guard
            let key = bytes.withUnsafeBufferPointer({ buffer in
                var start = buffer.baseAddress
                return d2i_PrivateKey(EVP_PKEY_EC, nil, &start, bytes.count)
            })
        else { return nil }
        (self.key, self.number) = (key, number)
    }

    /// Reads the text of a key; `nil` if it is none.
    package convenience init?(_ text: String) {
        guard let number = bytes(ofBase64URL: text) else { return nil }
        self.init(number)
    }

    package convenience init(using random: inout some RandomNumberGenerator) {
        var number: [UInt8]
        repeat { number = randomBytes(32, using: &random) } while !number.lexicographicallyPrecedes(Self.order)
        self.init(number)!
    }

    deinit { EVP_PKEY_free(key) }

    /// The number in Base64 for URLs. It is a secret.
    package var text: String { base64URL(number) }

    /// The public key: a point of 65 bytes.
    package var publicKey: [UInt8] {
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = Int(i2d_PUBKEY(key, &encoded))
        defer { CRYPTO_free(encoded, nil, 0) }
        return Array(UnsafeBufferPointer(start: encoded, count: count).suffix(65))
    }

    /// Whether bytes are a public key: an uncompressed point of the curve.
    static func isPublicKey(_ point: [UInt8]) -> Bool {
        withPublicKey(point) { $0 != nil }
    }

    private static func withPublicKey<Result>(_ point: [UInt8], _ body: (OpaquePointer?) -> Result) -> Result {
        guard point.count == 65, point[0] == 4 else { return body(nil) }
        let key = (beforePoint + point).withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return d2i_PUBKEY(nil, &start, buffer.count)
        }
        defer { EVP_PKEY_free(key) }
        return body(key)
    }

    /// The secret that this key has in common with the owner of a public key (ECDH); 32 bytes.
    func sharedSecret(with point: [UInt8]) -> [UInt8] {
        var (secret, count) = ([UInt8](repeating: 0, count: 32), 32)
        let context = EVP_PKEY_CTX_new(key, nil)
        defer { EVP_PKEY_CTX_free(context) }
        let isDone = Self.withPublicKey(point) { other in
            EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer(context, other) == 1
                && EVP_PKEY_derive(context, &secret, &count) == 1
        }
        precondition(isDone, "the point was not checked, or there is no memory")
        return secret
    }

    /// The signature ES256 of RFC 7518; 64 bytes.
    func signature(of message: [UInt8]) -> [UInt8] {
        var (der, count) = ([UInt8](repeating: 0, count: 80), 80)
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        let isDone =
            EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1
            && EVP_DigestSign(context, &der, &count, message, message.count) == 1
        precondition(isDone, "there is no memory")
        // A sequence of two integers, each with its length in one byte, and with a zero before a first byte above 0x7F.
        let first = der[4...].prefix(Int(der[3]))
        let second = der[(first.endIndex + 2)...].prefix(Int(der[first.endIndex + 1]))
        return [first, second].flatMap { integer in
            let digits = integer.suffix(32)
            return [UInt8](repeating: 0, count: 32 - digits.count) + digits
        }
    }
}

/// HMAC with SHA-256.
func authenticationCode(of message: [UInt8], by key: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 32)
    HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &code, nil)
    return code
}

func randomBytes(_ count: Int, using random: inout some RandomNumberGenerator) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
}

/// Base64 for URLs (RFC 4648, section 5) without padding.
package func base64URL(_ bytes: [UInt8]) -> String {
    var text = [UInt8](repeating: 0, count: bytes.count * 4 / 3 + 4)
    let count = Int(EVP_EncodeBlock(&text, bytes, Int32(bytes.count)))
    return String(
        decoding: text.prefix(count).filter { $0 != UInt8(ascii: "=") }.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }, as: UTF8.self)
}

/// The bytes of a text in Base64 for URLs, with padding or without; `nil` if the text is none.
package func bytes(ofBase64URL text: String) -> [UInt8]? {
    var standard = text.replacing("-", with: "+").replacing("_", with: "/")
    while standard.last == "=" { standard.removeLast() }
    let count = standard.utf8.count * 3 / 4
    standard += String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
    var decoded = [UInt8](repeating: 0, count: count + 4)
    guard !standard.isEmpty, !standard.contains(where: \.isWhitespace),
        EVP_DecodeBlock(&decoded, Array(standard.utf8), Int32(standard.utf8.count)) >= count
    else { return nil }
    return Array(decoded.prefix(count))
}
