extension FixedWidthInteger {
    /// Reads a number in its only plain notation: digits without sign and leading zeros; `nil` for anything else and on
    /// overflow.
    init?(plainDecimal digits: some Collection<UInt8>) {
        guard let first = digits.first, first != UInt8(ascii: "0") || digits.count == 1 else { return nil }
        var value: Self = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (tenfold, tooLong) = value.multipliedReportingOverflow(by: 10)
            let (sum, tooLarge) = tenfold.addingReportingOverflow(Self(digit - UInt8(ascii: "0")))
            guard !tooLong, !tooLarge else { return nil }
            value = sum
        }
        self = value
    }
}
