import Beacons

/// Times of the week in local time: `always`, `mon-fri 07:00-09:00`, `sat,sun`, `22:00-06:00`.
package struct Schedule: Hashable, Sendable, CustomStringConvertible {
    /// The days of the week, a bit each; Monday is bit 0.
    private var days: UInt8 = 0x7F
    /// The minutes of the day, the end excluded; an end before the beginning is on the next day.
    private var hours: (from: TimeOfDay, to: TimeOfDay)?

    private static let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    /// Reads `always`, days, hours, or days and hours; `nil` for anything else.
    package init?(_ text: some StringProtocol) {
        if text == "always" { return }
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard (1...2).contains(words.count) else { return nil }
        if let hours = Self.hours(words[words.count - 1]) {
            self.hours = hours
            if words.count == 1 { return }
        } else if words.count == 2 {
            return nil
        }
        guard let days = Self.days(words[0]) else { return nil }
        self.days = days
    }

    private static func hours(_ word: some StringProtocol) -> (from: TimeOfDay, to: TimeOfDay)? {
        let ends = word.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let from = TimeOfDay(ends[0]), let to = TimeOfDay(ends[1]), from != to else {
            return nil
        }
        return (from, to)
    }

    /// `mon-fri`, `sat,sun`, `mon,wed-fri`.
    private static func days(_ word: some StringProtocol) -> UInt8? {
        var days: UInt8 = 0
        for part in word.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map {
                names.firstIndex(of: String($0))
            }
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1] else { return nil }
            var day = first
            days |= 1 << day
            while day != last {
                day = (day + 1) % 7
                days |= 1 << day
            }
        }
        return days
    }

    /// Whether a local time, given as if it were UTC, is within the schedule.
    package func contains(_ local: WallTime) -> Bool {
        let minutes = local.milliseconds.quotientRoundedDown(by: 60_000)
        // 1970 began with a Thursday.
        let day = Int((minutes.quotientRoundedDown(by: 1440) + 3) % 7 + 7) % 7
        let minute = Int(minutes - minutes.quotientRoundedDown(by: 1440) * 1440)
        func has(_ day: Int) -> Bool { days & (1 << ((day + 7) % 7)) != 0 }
        guard let (from, to) = hours else { return has(day) }
        if from < to { return has(day) && (from.minute..<to.minute).contains(minute) }
        return minute >= from.minute ? has(day) : minute < to.minute && has(day - 1)
    }

    package static func == (left: Self, right: Self) -> Bool { left.description == right.description }

    package func hash(into hasher: inout Hasher) { hasher.combine(description) }

    /// The schedule in the form that is read: each day by its name.
    package var description: String {
        let names = Self.names.indices.filter { days & (1 << $0) != 0 }.map { Self.names[$0] }
        let words = [
            days == 0x7F ? nil : names == Array(Self.names[0...4]) ? "mon-fri" : names.joined(separator: ","),
            hours.map { "\($0.from)-\($0.to)" },
        ].compactMap(\.self)
        return words.isEmpty ? "always" : words.joined(separator: " ")
    }
}

extension Int64 {
    fileprivate func quotientRoundedDown(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
