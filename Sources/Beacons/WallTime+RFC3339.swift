extension WallTime: CustomStringConvertible {
    /// The time in RFC 3339, UTC, with milliseconds: `2026-11-21T05:40:12.345Z`. Years outside 0 to 9999 are clamped.
    public var description: String {
        let (days, millisecondOfDay) = milliseconds.quotientAndRemainderFloored(by: 86_400_000)
        let date = CalendarDate(daysSince1970: max(-719_528, min(2_932_896, days)))
        let second = millisecondOfDay / 1000
        return String(unsafeUninitializedCapacity: 24) { text in
            var position = 0
            func put(_ value: Int64, digits: Int, then separator: UInt8) {
                var rest = value
                for offset in (0..<digits).reversed() {
                    text[position + offset] = UInt8(ascii: "0") + UInt8(rest % 10)
                    rest /= 10
                }
                text[position + digits] = separator
                position += digits + 1
            }
            put(date.year, digits: 4, then: UInt8(ascii: "-"))
            put(date.month, digits: 2, then: UInt8(ascii: "-"))
            put(date.day, digits: 2, then: UInt8(ascii: "T"))
            put(second / 3600, digits: 2, then: UInt8(ascii: ":"))
            put(second / 60 % 60, digits: 2, then: UInt8(ascii: ":"))
            put(second % 60, digits: 2, then: UInt8(ascii: "."))
            put(millisecondOfDay % 1000, digits: 3, then: UInt8(ascii: "Z"))
            return position
        }
    }

    /// Reads RFC 3339, such as `2026-11-21T05:40:00Z` or `…T07:40:00.5+02:00`; `nil` for anything else. Fractions are
    /// truncated to milliseconds.
    public init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        guard let year = rest.takeNumber(digits: 4), rest.take("-"),
            let month = rest.takeNumber(digits: 2), rest.take("-"),
            let day = rest.takeNumber(digits: 2), rest.take("T") || rest.take("t") || rest.take(" "),
            let hour = rest.takeNumber(digits: 2), rest.take(":"),
            let minute = rest.takeNumber(digits: 2), rest.take(":"),
            let second = rest.takeNumber(digits: 2),
            let date = CalendarDate(year: year, month: month, day: day),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        var fraction: Int64 = 0
        if rest.take(".") {
            guard let milliseconds = rest.takeFraction() else { return nil }
            fraction = milliseconds
        }
        guard let offset = rest.takeOffset(), rest.isEmpty else { return nil }
        let seconds = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second - offset
        self.init(milliseconds: seconds * 1000 + fraction)
    }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard first == UInt8(ascii: character) else { return false }
        removeFirst()
        return true
    }

    fileprivate mutating func takeNumber(digits: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<digits {
            guard let byte = first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            removeFirst()
        }
        return value
    }

    /// Reads the digits behind the point as milliseconds; `nil` if there are none.
    fileprivate mutating func takeFraction() -> Int64? {
        guard var value = takeNumber(digits: 1) else { return nil }
        var scale = 1
        while let digit = takeNumber(digits: 1) {
            if scale < 3 {
                value = value * 10 + digit
                scale += 1
            }
        }
        for _ in scale..<3 { value *= 10 }
        return value
    }

    /// Reads a UTC offset in seconds, positive east of UTC.
    fileprivate mutating func takeOffset() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let sign: Int64 = first == UInt8(ascii: "-") ? -1 : 1
        guard take("+") || take("-"), let hours = takeNumber(digits: 2), take(":"), let minutes = takeNumber(digits: 2),
            hours < 24, minutes < 60
        else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}

/// A day of the proleptic Gregorian calendar.
private struct CalendarDate {
    var year: Int64
    var month: Int64
    var day: Int64

    init?(year: Int64, month: Int64, day: Int64) {
        let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
        let lengths: [Int64] = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...12).contains(month), (1...lengths[Int(month - 1)]).contains(day) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    // Eras of 400 years that begin on the first of March put the leap day last (Hinnant, "chrono-compatible date algorithms").
    init(daysSince1970 days: Int64) {
        let (era, dayOfEra) = (days + 719_468).quotientAndRemainderFloored(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    var daysSince1970: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = shiftedYear.quotientAndRemainderFloored(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension Int64 {
    /// Division that rounds down, so that the remainder is never negative.
    fileprivate func quotientAndRemainderFloored(by divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
