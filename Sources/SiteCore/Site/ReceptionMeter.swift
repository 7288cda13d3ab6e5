import Beacons
import Messages

/// Measures how the gateways receive an item's tag: how often, and with which mean RSSI each day.
///
/// Only sightings of the gateway that receives the item best count. The means are those of one gateway, because another place has another RSSI.
struct ReceptionMeter: Sendable {
    /// The sightings that give a day a mean.
    private static let leastSightings = 100.0
    /// The time after which the sightings of an hour are known.
    private static let leastTime = Interval.seconds(3600)
    /// The first hours of different items end within so many seconds, as each end is a message.
    private static let spread: UInt64 = 600
    private static let dayLength: Int64 = 86_400_000

    private var gateway: String
    /// The gateway that received the item best last.
    private(set) var nearest: String
    private var days: [Int16?] = []
    /// The number of the day that is measured.
    private var day: Int64
    /// The sum of the RSSI in dBm at `gateway` this day, and its sightings.
    private var sum = 0.0
    private var count = 0.0
    /// The day's sightings at the nearest gateway, and the time that they cover.
    private var sightings = 0.0
    private var time = Interval.zero
    private var last: Instant?
    private var interval: Double?
    private var sightingsPerHour: UInt32?

    /// The number of an item's day. The days of different items end at different times, as each end is a message.
    static func day(of time: WallTime, _ item: String) -> Int64 {
        (time.milliseconds &+ Int64(fnv1a(item.utf8) % UInt64(dayLength))) / dayLength
    }

    init(at gateway: String, day: Int64) { (self.gateway, nearest, self.day) = (gateway, gateway, day) }

    /// Continues with what a former process has published on a day.
    init?(_ published: ItemHealth.Reception, day: Int64) {
        guard let gateway = published.gateway else { return nil }
        self.init(at: gateway, day: day)
        (days, interval, sightingsPerHour) = (published.days, published.interval, published.sightingsPerHour)
    }

    /// What is published of it.
    var reception: ItemHealth.Reception {
        ItemHealth.Reception(
            interval: interval, sightingsPerHour: sightingsPerHour, trend: Self.trend(of: days), gateway: gateway,
            days: days)
    }

    /// Notes a state of the gateway that receives the item best, or received it best before nobody did; returns whether to publish the reception: after the first hour, and once a day.
    ///
    /// - Parameters:
    ///   - item: the item's id.
    ///   - number: the number of the day.
    ///   - isSynchronised: whether the clock is; otherwise a day before the last one is a clock that was not set yet.
    mutating func note(
        _ state: RangedState, of item: String, from nearest: String, day number: Int64, isSynchronised: Bool = true,
        at now: Instant
    ) -> Bool {
        let today = isSynchronised ? number : max(number, day)
        let isOver = today > day
        if isOver { endDay(nearest, until: today) }
        day = today
        interval = state.interval ?? interval
        self.nearest = nearest
        sightings += Double(state.sightings)
        if let last, now - last <= .seconds(Double(state.validFor)) { time = time + (now - last) }
        last = now
        if nearest == gateway, let rssi = state.rssi {
            sum += rssi * Double(state.sightings)
            count += Double(state.sightings)
        }
        guard sightingsPerHour == nil, time >= Self.leastTime,
            time >= Self.leastTime + .seconds(Double(fnv1a(item.utf8) % Self.spread))
        else { return isOver }
        countHour()
        return true
    }

    private mutating func countHour() {
        guard time >= Self.leastTime else { return }
        sightingsPerHour = UInt32(min(sightings * 3600 / time.seconds, 1e9).rounded())
    }

    /// Ends the day, and the days before `today` on which nothing was received. A gateway that most days are without gives way to `nearest`.
    private mutating func endDay(_ nearest: String, until today: Int64) {
        countHour()
        days.append(count >= Self.leastSightings ? Int16((sum / count * 10).rounded()) : nil)
        let missed = min(today - day - 1, Int64(ItemHealth.Reception.mostDays))
        days.append(contentsOf: repeatElement(nil, count: Int(missed)))
        days.removeFirst(max(0, days.count - ItemHealth.Reception.mostDays))
        if days.count(where: { $0 == nil }) * 2 > days.count { (gateway, days) = (nearest, []) }
        (sum, count, sightings, time) = (0, 0, 0, .zero)
    }

    // MARK: The trend

    private static let leastDays = 7
    /// The change in dB over all days, and its standard errors, below which a trend may be chance.
    private static let leastChange = 4.0
    private static let certainty = 4.0

    /// The change of daily means in dB a week; `nil` if it may be chance, or if one step explains them better: the item has another place since then.
    static func trend(of days: [Int16?]) -> Double? {
        let points = days.enumerated().compactMap { day, tenths in tenths.map { (x: Double(day), y: Double($0) / 10) } }
        guard points.count >= leastDays else { return nil }
        let count = Double(points.count)
        let mean = (x: points.reduce(0) { $0 + $1.x } / count, y: points.reduce(0) { $0 + $1.y } / count)
        let spread = points.reduce(0) { $0 + ($1.x - mean.x) * ($1.x - mean.x) }
        let slope = points.reduce(0) { $0 + ($1.x - mean.x) * ($1.y - mean.y) } / spread
        let values = points.map(\.y)
        let rest = squares(values[...]) - slope * slope * spread
        let error = (max(0, rest) / (count - 2) / spread).squareRoot()
        let change = abs(slope) * (points[points.count - 1].x - points[0].x)
        guard change >= leastChange, abs(slope) >= certainty * error else { return nil }
        let step = (1..<values.count).map { squares(values[..<$0]) + squares(values[$0...]) }.min() ?? .infinity
        return rest < step ? slope * 7 : nil
    }

    /// The sum of the squares around the mean.
    private static func squares(_ values: ArraySlice<Double>) -> Double {
        let mean = values.reduce(0, +) / Double(values.count)
        return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    }
}
