import Beacons

extension SettingsValue {
    /// Reads a bare word of TOML 1.0: a boolean, a number or a date. Other words are unreadable.
    init(scalar text: String) {
        self =
            Self.readBoolean(text) ?? Self.readInteger(text) ?? Self.readReal(text) ?? Self.readDate(text)
            ?? .unreadable(text, because: "")
    }

    private static func readBoolean(_ text: String) -> Self? {
        switch text {
        case "true": .boolean(true)
        case "false": .boolean(false)
        default: nil
        }
    }

    private static func readInteger(_ text: String) -> Self? {
        let radix: Int
        switch text.prefix(2) {
        case "0x": radix = 16
        case "0o": radix = 8
        case "0b": radix = 2
        default:
            guard let digits = withoutUnderscores(unsigned(text)[...]), isPlainDecimal(digits) else { return nil }
            return Int(text.first == "-" ? "-" + digits : digits).map { .integer($0) }
        }
        guard let digits = withoutUnderscores(text.dropFirst(2)), digits.first != "+", digits.first != "-" else {
            return nil
        }
        return Int(digits, radix: radix).map { .integer($0) }
    }

    // 1.5, 1e5, 1.5e-5; a number beyond the range of Double is refused.
    private static func readReal(_ text: String) -> Self? {
        let sign = text.first == "-" ? -1.0 : 1.0
        let plain = unsigned(text)
        if plain == "inf" { return .real(sign * .infinity) }
        if plain == "nan" { return .real(.nan) }
        let parts = plain.split(separator: "e", omittingEmptySubsequences: false).flatMap {
            $0.split(separator: "E", omittingEmptySubsequences: false)
        }
        let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false).map(withoutUnderscores)
        let exponent = parts.dropFirst().map { withoutUnderscores(unsigned($0)[...]) }
        guard parts.count <= 2, mantissa.count <= 2, mantissa.count + exponent.count > 1, let whole = mantissa[0],
            isPlainDecimal(whole),
            (mantissa.dropFirst() + exponent).allSatisfy({ $0?.utf8.allSatisfy(isDigit) ?? false }),
            let number = Double(plain.filter { $0 != "_" }), number.isFinite
        else { return nil }
        return .real(sign * number)
    }

    private static func readDate(_ text: String) -> Self? {
        if WallTime(text) != nil { return .moment(text) }
        if WallTime(text + "Z") != nil { return .date("a date and time of no time zone") }
        if WallTime(text + "T00:00:00Z") != nil { return .date("a date") }
        return WallTime("1970-01-01T" + text + "Z") != nil ? .date("a time") : nil
    }

    private static func unsigned(_ text: some StringProtocol) -> String {
        String(text.first == "-" || text.first == "+" ? text.dropFirst() : text[...])
    }

    // 0, or digits without a leading zero.
    private static func isPlainDecimal(_ digits: String) -> Bool {
        digits.utf8.allSatisfy(isDigit) && (digits == "0" || digits.first != "0")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    // Underscores are allowed only between two digits; `nil` for other positions and for an empty text.
    private static func withoutUnderscores(_ text: Substring) -> String? {
        let groups = text.split(separator: "_", omittingEmptySubsequences: false)
        return groups.contains(where: \.isEmpty) ? nil : groups.joined()
    }
}
