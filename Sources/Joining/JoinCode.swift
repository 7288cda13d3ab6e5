/// The code that `gateways invite` prints and `join` takes: 128 random bits, so that nobody can guess them, not even offline.
package struct JoinCode: Hashable, Sendable {
    /// How many bytes the key has.
    static let keyLength = 16
    /// Crockford's base 32 has no letters that look alike. 26 digits hold 130 bits.
    private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    private static let length = 26

    private let value: UInt128

    /// A new code, from the kernel's random numbers.
    package init() { value = .random(in: 0 ... .max) }

    /// Reads a typed code: case, dashes and blanks do not matter, and O is read as 0, I and L as 1. `nil` if `text` is no code.
    package init?(_ text: String) {
        let typed = text.uppercased().filter { $0 != "-" && $0 != " " }
        guard typed.count == Self.length else { return nil }
        var value: UInt128 = 0
        for letter in typed {
            let plain: Character = letter == "O" ? "0" : letter == "I" || letter == "L" ? "1" : letter
            // The first of 26 digits has only three bits.
            guard let digit = Self.digits.firstIndex(of: plain), value >> 123 == 0 else { return nil }
            value = value << 5 | UInt128(digit)
        }
        self.value = value
    }

    /// The code in groups of four: `7KQX-M2PD-...`.
    package var text: String {
        let digits = (0..<Self.length).reversed().map { Self.digits[Int(truncatingIfNeeded: value >> ($0 * 5)) & 31] }
        return stride(from: 0, to: Self.length, by: 4)
            .map { String(digits[$0..<min($0 + 4, Self.length)]) }.joined(separator: "-")
    }

    /// The key of the encryption.
    var key: [UInt8] { (0..<Self.keyLength).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
}
