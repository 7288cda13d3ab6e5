extension WallTime: CustomStringConvertible {
    /// The time in RFC 3339, UTC, with milliseconds: `2026-11-21T05:40:12.345Z`. Years outside 0 to 9999 are clamped.
    public var description: String {
        String(unsafeUninitializedCapacity: Self.textLength) { text in
            write(to: text)
            return Self.textLength
        }
    }

    /// The length of `description` in bytes.
    public static let textLength = 24

    /// Writes `description` to the first `textLength` bytes of `text`, without an allocation.
    public func write(to text: UnsafeMutableBufferPointer<UInt8>) {
        precondition(text.count >= Self.textLength)
        let (days, millisecondOfDay) = milliseconds.quotientAndRemainderFloored(by: 86_400_000)
        let date = CalendarDate(daysSince1970: max(-719_528, min(2_932_896, days)))
        let second = millisecondOfDay / 1000
        var position = 0
        func put(_ value: Int64, digits: Int, then separator: UInt8) {
            var rest = UInt32(truncatingIfNeeded: value)
            for offset in (0..<digits).reversed() {
                text[position + offset] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
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
    }

    /// Reads RFC 3339, such as `2026-11-21T05:40:00Z` or `…T07:40:00.5+02:00`; `nil` for anything else. Fractions are
    /// truncated to milliseconds.
    public init?(_ text: String) {
        var text = text
        guard let time = text.withUTF8({ WallTime(utf8: $0) }) else { return nil }
        self = time
    }

    /// Reads the bytes of a time in RFC 3339 without an allocation; `nil` for anything else.
    public init?(utf8 text: UnsafeBufferPointer<UInt8>) {
        var rest = TimeReader(text)
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
        guard let offset = rest.takeOffset(), rest.isAtEnd else { return nil }
        let seconds = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second - offset
        self.init(milliseconds: seconds * 1000 + fraction)
    }
}

/// The parts of a time, read from front to back.
private struct TimeReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func takeNumber(digits: Int) -> Int64? {
        guard bytes.count - position >= digits else { return nil }
        var value: Int64 = 0
        for byte in position..<position + digits {
            let digit = bytes[byte] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            value = value * 10 + Int64(digit)
        }
        position += digits
        return value
    }

    /// Reads the digits behind the point as milliseconds; `nil` if there are none.
    mutating func takeFraction() -> Int64? {
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
    mutating func takeOffset() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let isWest = take("-")
        guard isWest || take("+"), let hours = takeNumber(digits: 2), take(":"), let minutes = takeNumber(digits: 2),
            hours < 24, minutes < 60
        else { return nil }
        return (isWest ? -1 : 1) * (hours * 3600 + minutes * 60)
    }
}

/// A day of the proleptic Gregorian calendar.
private struct CalendarDate {
    var year: Int64
    var month: Int64
    var day: Int64

    init?(year: Int64, month: Int64, day: Int64) {
        let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
        let length: Int64 =
            switch month {
            case 2: leap ? 29 : 28
            case 4, 6, 9, 11: 30
            default: 31
            }
        guard (1...12).contains(month), (1...length).contains(day) else { return nil }
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
