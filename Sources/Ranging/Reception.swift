import Beacons

/// A time in which a gateway receives hardly any advertisement.
struct Outage: Sendable {
    var since: Instant
    var foundAt: Instant
    /// When the outage was last known to last.
    var confirmedAt: Instant
}

/// How many advertisements a gateway receives, to distinguish a beacon that left from a gateway that receives nothing.
///
/// Advertisements are counted by the second: those of members (beacons of any region), and those of strangers. Interference or a bad antenna
/// stops both at once, while the controller still responds. People who leave together take their beacons along; strangers go on sending.
struct Reception: Sendable {
    /// For how many seconds counts are stored: ``longest`` and ``before``, and some more.
    private static let stored = 256
    /// The longest outage that is looked for, in seconds.
    private static let longest = 128
    /// An outage has ended if the last seconds do not show it. From fewer seconds than this nothing follows.
    private static let shortest = 2
    /// The seconds before an outage with which it is compared, at most and at least.
    private static let before = 60
    private static let fewestBefore = 20
    /// In an outage, the advertisements of strangers and of members are at most these shares of the expected numbers.
    private static let strangersLeft = 0.15
    private static let membersLeft = 0.3
    /// If fewer advertisements of strangers are expected, nothing follows. If as many are expected, none arrives by chance in one of seven cases.
    /// Then the exits of people who leave together wait for the stranger's next advertisement.
    private static let fewest = 2.0

    /// The advertisements of the present second, and those of members among them.
    private var all: UInt32 = 0
    private var members: UInt32 = 0
    private var secondEnd = Instant.zero
    /// The counts of the last seconds, as rings of ``stored`` places; the newest is before `next`.
    private var strangerCounts = [UInt16](repeating: 0, count: stored)
    private var memberCounts = [UInt16](repeating: 0, count: stored)
    private var next = 0
    /// How many places of the rings have a count.
    private var filled = 0

    init(at now: Instant) { begin(at: now) }

    /// Begins to count at `now`, because the radio did not scan before.
    mutating func begin(at now: Instant) {
        secondEnd = now + .seconds(1)
        (all, members, filled) = (0, 0, 0)
    }

    mutating func note(at now: Instant) {
        if now >= secondEnd { roll(to: now) }
        all &+= 1
    }

    /// Counts an advertisement as one of a member. Call ``note(at:)`` for the same advertisement as well.
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
            next = (next + 1) % Self.stored
            filled = min(Self.stored, filled + 1)
            (all, members) = (0, 0)
        }
        secondEnd = secondEnd + .seconds(Double(seconds))
    }

    /// When the present outage began; `nil` if there is none, or if too few strangers send to know it.
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
            let expected = earlier.strangers / seconds * length
            guard expected >= Self.fewest else { continue }
            let isLow =
                strangers <= Self.strangersLeft * expected
                && members <= Self.membersLeft * earlier.members / seconds * length
            if isLow { found = age + 1 } else if found == nil, age >= Self.shortest { return nil }
        }
        return found.map { secondEnd - .seconds(Double($0 + 1)) }
    }
}
