import Glibc

/// What all beacons of one gateway have shown of rare long losses: a kind of loss that two of them had is expected of the others.
///
/// Each beacon counts once for each length of loss, when it has its first one that long, so that one beacon in a bad place does not
/// decide for all. The count is by how long the beacon had been received until then. A beacon that has been received for a day
/// without such a loss is therefore compared with what others showed after half a day and more, not with their first hours: where
/// beacons differ, those that have no such losses become free of them.
struct SilencePool: Sendable {
    /// Lengths from 8 s to 1024 s, four to the octave.
    static let classes = 28
    private static let shortest = 8.0
    /// Hours of reception, by octave from half an hour on.
    private static let ages = 12
    /// The number of beacons after which a kind of loss is expected of the others.
    private static let fewest: Float = 2
    /// The number of beacons after which losses longer than all seen are expected.
    private static let fewestContinued = 5.0
    /// The number of beacons in two neighbouring classes after which no longer losses are expected, if these classes have all of the tail.
    /// A class ends the losses if it is reached clearly more often than the next one.
    private static let cluster = 8.0
    private static let step = 1.25
    /// The losses of slow beacons that are counted, in seconds: shorter ones are independent losses, longer ones may be absences.
    static let shortestCounted = 30.0
    static let longestCounted = 300.0
    /// Of fewer such losses nothing follows.
    private static let fewestCounted = 5.0
    /// The seconds of reception, for each beacon that counts, after which all counts are halved.
    private static let halfLife = 14 * 86_400.0
    /// For so many seconds of reception for each beacon, the beacons expect a change of the interval that one of them showed.
    private static let memoryOfChange = 86_400.0

    // Arrays, because a monitor is copied wherever a value of the gateway is read: tables inside it would be a quarter of the gateway's work.
    /// How many beacons had their first loss of a length or longer at an age; by class and age.
    private var firsts = [Float](repeating: 0, count: 336)
    /// For how long beacons were received at an age whose longest loss so far was of the class before; by class and age.
    private var received = [Double](repeating: 0, count: 336)
    /// How many losses of slow beacons had a length, by class.
    private var slowLosses = [Float](repeating: 0, count: 28)
    private var sinceHalved = 0.0
    /// The longest interval in seconds that a beacon of this gateway changed to of late; 0: none did.
    private(set) var changedInterval = 0.0
    /// The seconds of reception until that change is forgotten.
    private var untilForgotten = 0.0
    /// Another number after each first loss, and after a change of an interval: then the beacons ask again.
    private(set) var revision: UInt32 = 0

    /// The class of a loss of so many seconds; -1 below the shortest.
    static func place(of seconds: Double) -> Int {
        guard seconds >= shortest else { return -1 }
        return min(classes - 1, Int(4 * log2(seconds / shortest)))
    }

    /// Where a class and an age are counted.
    private static func cell(_ place: Int, _ age: Int) -> Int { place * ages + age }

    private static func edge(_ place: Int) -> Double { shortest * exp2(Double(place) / 4) }

    private static func age(_ scannedSeconds: Double) -> Int {
        scannedSeconds < 1800
            ? 0 : min(ages - 1, Int(scannedSeconds / 1800).bitWidth - Int(scannedSeconds / 1800).leadingZeroBitCount)
    }

    /// Adds seconds in which a beacon was received.
    ///
    /// - Parameters:
    ///   - longest: The class of the beacon's longest loss before; -1 if it had none.
    ///   - scannedSeconds: The seconds for which the beacon was received before.
    ///   - beacons: The number of beacons that the gateway monitors.
    mutating func note(_ seconds: Double, longest: Int, scannedSeconds: Double, beacons: Int) {
        received[Self.cell(min(longest + 1, Self.classes - 1), Self.age(scannedSeconds))] += seconds
        forgetChange(after: seconds)
        sinceHalved += seconds
        guard sinceHalved > Self.halfLife * Double(beacons) else { return }
        sinceHalved = 0
        for place in slowLosses.indices { slowLosses[place] /= 2 }
        for cell in firsts.indices {
            firsts[cell] /= 2
            received[cell] /= 2
        }
    }

    /// Records a loss that is a beacon's longest so far.
    mutating func note(lossOf place: Int, after longest: Int, scannedSeconds: Double) {
        guard place > longest else { return }
        revision &+= 1
        for place in (longest + 1)...min(place, Self.classes - 1) {
            firsts[Self.cell(place, Self.age(scannedSeconds))] += 1
        }
    }

    /// Records a loss of a slow beacon that learns all losses up to ``longestCounted``.
    mutating func note(slowLoss seconds: Double) {
        guard seconds >= Self.shortestCounted, seconds < Self.longestCounted else { return }
        slowLosses[Self.place(of: seconds)] += 1
    }

    /// Returns how many losses of slow beacons were longer, and by how many seconds on average if they end as exponentials do.
    ///
    /// No loss beyond ``longestCounted`` was counted. The mean is that of the exponential which, cut there, has the mean of the counted ones.
    func losses(beyond seconds: Double) -> (count: Double, excess: Double) {
        guard seconds >= Self.shortestCounted, seconds < Self.longestCounted / 1.5 else { return (0, 0) }
        let slowLosses = slowLosses.span
        var (count, sum) = (0.0, 0.0)
        for place in Self.place(of: seconds)..<Self.classes where slowLosses[place] > 0 {
            let middle = (Self.edge(place) + min(Self.longestCounted, Self.edge(place + 1))) / 2
            guard middle > seconds else { continue }
            count += Double(slowLosses[place])
            sum += Double(slowLosses[place]) * (middle - seconds)
        }
        guard count >= Self.fewestCounted else { return (0, 0) }
        let (mean, span) = (sum / count, Self.longestCounted - seconds)
        var excess = mean
        for _ in 0..<10 { excess = min(2 * mean, mean + span / expm1(span / excess)) }
        return (count, excess)
    }

    /// Records that a beacon changed to a longer interval, which may happen to others as well.
    mutating func note(changeTo interval: Double, beacons: Int) {
        untilForgotten = Self.memoryOfChange * Double(max(1, beacons))
        guard interval > changedInterval else { return }
        changedInterval = interval
        revision &+= 1
    }

    private mutating func forgetChange(after seconds: Double) {
        guard changedInterval > 0 else { return }
        untilForgotten -= seconds
        if untilForgotten <= 0 { (changedInterval, revision) = (0, revision &+ 1) }
    }

    /// Adds a beacon of a former process: its longest loss, the seconds of reception before it, and the seconds since the beacon is
    /// received. Shorter losses count as simultaneous.
    mutating func take(longest: Int, after first: Double, scannedSeconds: Double) {
        note(lossOf: longest, after: -1, scannedSeconds: first)
        for age in 0..<Self.ages {
            let begin = age == 0 ? 0 : 1800 * exp2(Double(age - 1))
            let end = age == Self.ages - 1 ? .infinity : 1800 * exp2(Double(age))
            let (before, after) = (min(end, first) - begin, min(end, scannedSeconds) - max(begin, first))
            if before > 0 { note(before, longest: -1, scannedSeconds: begin, beacons: .max) }
            if after > 0 { note(after, longest: longest, scannedSeconds: begin, beacons: .max) }
        }
    }

    /// The silence beyond which a beacon received for so long has no such loss more often than `rate` a second; 0: it has none.
    func silence(scannedSeconds: Double, rate: Double) -> Double {
        let from = max(0, Self.age(scannedSeconds) - 1)
        let (firsts, received) = (firsts.span, received.span)
        // Beacons that had a loss of a class are no longer exposed to their first one.
        var (exposure, longest) = (0.0, 0.0)
        var counts = InlineArray<28, Double>(repeating: 0)
        var rates = InlineArray<28, Double>(repeating: 0)
        for place in 0..<Self.classes {
            for age in from..<Self.ages {
                exposure += received[Self.cell(place, age)]
                counts[place] += Double(firsts[Self.cell(place, age)])
            }
            guard counts[place] >= Double(Self.fewest), counts[place] > rate * exposure else { continue }
            rates[place] = counts[place] / exposure
            longest = Self.edge(place + 1)
        }
        return longest > 0 ? max(longest, continued(counts.span, rates.span, rate: rate)) : 0
    }

    /// The silence that comes at `rate` a second, where losses go on beyond the longest as they fell off until there.
    ///
    /// From each class that some beacons reached, the tail is continued as in ``MissHistogram``. Losses of one length have no tail.
    private func continued(_ counts: Span<Double>, _ rates: Span<Double>, rate: Double) -> Double {
        var (area, longest) = (0.0, 0.0)
        var (highest, lowest) = (-1, -1)
        for place in (0..<Self.classes).reversed() where rates[place] > 0 {
            // Whether losses end in this class: it is reached clearly more often than the next.
            let next = place + 1 < Self.classes ? rates[place + 1] : 0
            let isLast = highest < 0 || rates[place] > next * Self.step
            if !isLast, highest - lowest <= 1, counts[lowest] >= Self.cluster { break }
            if highest < 0 { highest = place }
            if isLast { lowest = place }
            area += (rates[place] + next) / 2 * (Self.edge(place + 1) - Self.edge(place))
            guard counts[place] >= Self.fewestContinued else { continue }
            let (shape, mean) = (counts[place] + 3, area / rates[place])
            let beyond = log(rates[place] / rate)
            let silence = Self.edge(place) + shape / log1p(shape / ((counts[place] + 2) * mean)) * expm1(beyond / shape)
            longest = max(longest, silence)
        }
        return longest
    }
}
