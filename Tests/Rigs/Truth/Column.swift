import Glibc

/// Numbers and words as columns of a table.
enum Column {
    /// `value` with so many decimals, right-aligned.
    static func number(_ value: Double, decimals: Int = 1, width: Int = 7) -> String {
        guard value.isFinite else { return right("-", width: width) }
        let unit = pow(10, Double(decimals))
        let units = Int64((abs(value) * unit).rounded())
        var digits = String(units)
        while digits.count <= decimals { digits = "0" + digits }
        if decimals > 0 { digits.insert(".", at: digits.index(digits.endIndex, offsetBy: -decimals)) }
        return right((value < 0 && units > 0 ? "-" : "") + digits, width: width)
    }

    static func right(_ text: String, width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    static func left(_ text: String, width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
