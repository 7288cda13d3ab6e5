import Beacons

/// A time in which a gateway receives hardly anything of anybody.
struct Outage: Sendable {
    var since: Instant
    /// When it was noticed, and when it still lasted.
    var foundAt: Instant
    var confirmedAt: Instant
}

/// How much a gateway receives of anybody, to distinguish a beacon that left from a gateway that receives nothing.
///
/// Advertisements are counted by the second: those of beacons of any region, and those of strangers. Interference or a bad antenna takes
/// both at once, while the controller still responds. People who leave together take their beacons; strangers go on.
struct Reception: Sendable {
    /// For how many seconds counts are stored: ``longest`` and ``before``, and some more.
    private static let stored = 256
    /// An outage is looked for in at most so many seconds.
    private static let longest = 128
    /// An outage that the last seconds do not show has ended; of fewer nothing follows.
    private static let shortest = 2
    /// What was received in the outage is compared with so many seconds before it, and these at least.
    private static let before = 60
    private static let fewestBefore = 20
    /// The usual rates are means over about so many seconds.
    private static let memory = 1800.0
    /// In an outage, strangers and beacons are below these shares of what is expected.
    private static let strangersLeft = 0.15
    private static let membersLeft = 0.3
    /// Of fewer strangers' advertisements expected, nothing follows. Of as many, none arrives by chance in one of seven cases; that costs those
    /// who leave together the seconds until the next.
    private static let fewest = 2.0

    private var all: UInt32 = 0
    private var members: UInt32 = 0
    private var secondEnd = Instant.zero
    /// By the second, modulo ``stored``; the newest is before `next`.
    private var strangerCounts = [UInt16](repeating: 0, count: 256)
    private var memberCounts = [UInt16](repeating: 0, count: 256)
    private var next = 0
    private var filled = 0
    private var usual = (strangers: 0.0, members: 0.0)
    private var usualSeconds = 0.0

    init(at now: Instant) { begin(at: now) }

    /// Counts from now on: the radio was off before.
    mutating func begin(at now: Instant) {
        secondEnd = now + .seconds(1)
        (all, members, filled) = (0, 0, 0)
    }

    /// Counts an advertisement of anybody.
    mutating func note(at now: Instant) {
        if now >= secondEnd { roll(to: now) }
        all &+= 1
    }

    /// Counts an advertisement of a region's beacon, which was counted among those of anybody.
    mutating func noteMember(at now: Instant) {
        if now >= secondEnd { roll(to: now) }
        members &+= 1
    }

    /// Ends all seconds before `now`.
    private mutating func roll(to now: Instant) {
        let seconds = Int((now - secondEnd).nanoseconds / 1_000_000_000) + 1
        for _ in 0..<min(seconds, Self.stored) {
            strangerCounts[next] = UInt16(clamping: all - min(all, members))
            memberCounts[next] = UInt16(clamping: members)
            usualSeconds = min(Self.memory, usualSeconds + 1)
            usual.strangers += (Double(strangerCounts[next]) - usual.strangers) / usualSeconds
            usual.members += (Double(memberCounts[next]) - usual.members) / usualSeconds
            next = (next + 1) % Self.stored
            filled = min(Self.stored, filled + 1)
            (all, members) = (0, 0)
        }
        secondEnd = secondEnd + .seconds(Double(seconds))
    }

    /// Since when hardly anything was received of what is usual, strangers included; `nil` where that is not so, or nothing follows as there
    /// are no strangers.
    mutating func outage(at now: Instant) -> Instant? {
        if now >= secondEnd { roll(to: now) }
        var (strangers, members) = (Double(all - min(all, self.members)), Double(self.members))
        var found: Int?
        var earlier = (strangers: 0.0, members: 0.0)
        let newest = next + Self.stored - 1
        func count(_ age: Int) -> (strangers: Double, members: Double) {
            guard age < filled else { return (0, 0) }
            let place = (newest - age) % Self.stored
            return (Double(strangerCounts[place]), Double(memberCounts[place]))
        }
        for age in 0..<Self.before {
            earlier.strangers += count(age).strangers
            earlier.members += count(age).members
        }
        for age in 0..<min(Self.longest, filled) {
            let (here, far) = (count(age), count(age + Self.before))
            strangers += here.strangers
            members += here.members
            earlier.strangers += far.strangers - here.strangers
            earlier.members += far.members - here.members
            let seconds = Double(min(Self.before, filled - age - 1))
            guard seconds >= Double(Self.fewestBefore) else { break }
            let length = Double(age + 1)
            let expected = min(usual.strangers, earlier.strangers / seconds) * length
            guard expected >= Self.fewest else { continue }
            let isLow =
                strangers <= Self.strangersLeft * expected
                && members <= Self.membersLeft * min(usual.members, earlier.members / seconds) * length
            if isLow { found = age + 1 } else if found == nil, age >= Self.shortest { return nil }
        }
        return found.map { secondEnd - .seconds(Double($0 + 1)) }
    }
}
