/// A number that is being read: its digits as an integer and a power of ten.
struct JSONNumber {
    var isNegative = false
    /// The power of ten as written; `appendFractionDigit` counts the digits of the fraction separately.
    var exponent = 0
    private var digits: UInt64 = 0
    private var fractionDigits = 0
    private var overflowed = false
    private var isInteger = true

    mutating func appendDigit(_ digit: UInt8) {
        let (tenfold, tooLong) = digits.multipliedReportingOverflow(by: 10)
        let (sum, tooLarge) = tenfold.addingReportingOverflow(UInt64(digit))
        overflowed = overflowed || tooLong || tooLarge
        digits = sum
    }

    mutating func appendFractionDigit(_ digit: UInt8) {
        isInteger = false
        fractionDigits += 1
        appendDigit(digit)
    }

    mutating func appendExponentDigit(_ digit: UInt8) {
        isInteger = false
        // The number already exceeds every finite double, so more digits change nothing.
        if exponent < 100_000 { exponent = exponent * 10 + Int(digit) }
    }

    /// The value of the number in `text`; `nil` if it is not a finite double, or if the text is too long.
    func value(of text: ArraySlice<UInt8>) -> JSONValue? {
        guard text.count <= 100 else { return nil }
        if isInteger, !overflowed {
            if digits <= UInt64(Int64.max) { return .integer(isNegative ? -Int64(digits) : Int64(digits)) }
            if isNegative, digits == Int64.min.magnitude { return .integer(.min) }
        }
        let double = exactDouble ?? Double(String(decoding: text, as: UTF8.self))
        guard let double, double.isFinite else { return nil }
        return .double(double)
    }

    /// The nearest double, if one multiplication or division of two exact doubles yields it (Clinger 1990). This covers
    /// nearly all numbers.
    private var exactDouble: Double? {
        let power = exponent - fractionDigits
        guard !overflowed, digits <= 1 << 53, power.magnitude < Self.powersOfTen.count else { return nil }
        let scale = Self.powersOfTen[Int(power.magnitude)]
        let double = power < 0 ? Double(digits) / scale : Double(digits) * scale
        return isNegative ? -double : double
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}
