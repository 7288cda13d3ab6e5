import Glibc

/// One tag of a ``MonitoredHouse``: which of its advertisements the gateway receives, in order of time.
struct HouseTag {
    /// How a tag sends.
    enum Sending {
        /// One advertisement each so many seconds, and 0 to 10 ms more each time.
        case every(Double)
        /// So many advertisements with these seconds between them, from one burst to the next these.
        case bursts(of: Int, spaced: Double, every: Double)
    }

    /// Losses that come by chance and last always the same, or exponentially.
    struct Loss {
        /// Seconds from one to the next on average.
        var every: Double
        var lasting: Double
        var isExponential = false
        /// Which part of what would arrive is lost meanwhile.
        var share = 1.0
    }

    /// What a tag does in its days.
    struct Plan {
        var sending: Sending
        var reception: Double
        var losses: [Loss] = []
        /// From when on the tag sends otherwise, and for how long it is silent before.
        var change: (at: Double, pause: Double, sending: Sending)?
        /// When another part of it arrives, and which, and with which RSSI; in order.
        var moves: [(at: Double, reception: Double, level: Double)] = []
        /// When nothing of it arrives anywhere, although it is there, in order.
        var covered: [ClosedRange<Double>] = []
        /// When it is away, in order.
        var absences: [ClosedRange<Double>] = []
        /// For so many seconds before it is away, and after, its RSSI falls and rises by 25 dB.
        var fading = 0.0
        /// How many metres it is carried away, at 1.2 m/s, while it is away; 0: it is out of range at once. The RSSI falls with the distance, and
        /// with it what is received: at the edge of the range, something is.
        var metres = 0.0
    }

    let plan: Plan
    /// When the days of the tag end, in seconds: a tag that is never received again has no other end.
    private let end: Double
    /// The next advertisement that is received, in seconds, and its RSSI in dBm. The time is infinite once there is none before the end.
    private(set) var next = (time: 0.0, rssi: Int8(0))
    /// The absence that comes next or lasts.
    private(set) var absence = 0

    private var random: Random
    private var upcoming: Double
    private var inBurst = 0
    private var hasChanged = false
    private var moved = 0
    private var uncovered = 0
    private var losing: [Bool]
    private var turns: [Double] = []

    init(_ plan: Plan, until end: Double, seed: UInt64) {
        self.plan = plan
        self.end = end
        random = Random(seed: seed)
        losing = plan.losses.map { _ in false }
        upcoming = random.unit() * Self.period(of: plan.sending)
        for loss in plan.losses { turns.append(random.exponential(mean: loss.every)) }
        advance()
    }

    private static func period(of sending: Sending) -> Double {
        switch sending {
        case .every(let seconds): seconds
        case .bursts(_, _, let seconds): seconds
        }
    }

    /// Goes on to the next advertisement that is received.
    mutating func advance() {
        next = (.infinity, 0)
        while upcoming < end {
            let time = upcoming
            schedule()
            while absence < plan.absences.count, plan.absences[absence].upperBound <= time { absence += 1 }
            let isAway = absence < plan.absences.count && plan.absences[absence].contains(time)
            if isAway, plan.metres == 0 { continue }
            while moved < plan.moves.count, plan.moves[moved].at <= time { moved += 1 }
            while uncovered < plan.covered.count, plan.covered[uncovered].upperBound <= time { uncovered += 1 }
            let reception = moved == 0 ? plan.reception : plan.moves[moved - 1].reception
            let usual = moved == 0 ? -65 : plan.moves[moved - 1].level
            guard random.unit() <= reception, !isLost(at: time) else { continue }
            if uncovered < plan.covered.count, plan.covered[uncovered].contains(time) { continue }
            let level = (isAway ? carriedRSSI(at: time) : rssi(at: time, from: usual)) + 4 * random.gaussian()
            guard !isAway || random.unit() <= 1 / (1 + exp((-94 - level) / 2)) else { continue }
            next = (time, Int8(max(-110, min(-20, level.rounded()))))
            return
        }
    }

    private mutating func schedule() {
        let sending = hasChanged ? plan.change!.sending : plan.sending
        switch sending {
        case .every(let seconds): upcoming += seconds + random.unit() * 0.01
        case .bursts(let count, let spacing, let period):
            inBurst = (inBurst + 1) % count
            upcoming += inBurst == 0 ? period - Double(count - 1) * spacing : spacing
            if inBurst == 0 { upcoming += random.unit() * 0.01 }
        }
        guard let change = plan.change, !hasChanged, upcoming > change.at else { return }
        hasChanged = true
        inBurst = 0
        upcoming = change.at + max(change.pause, Self.period(of: change.sending))
    }

    private mutating func isLost(at time: Double) -> Bool {
        var share = 1.0
        for (number, loss) in plan.losses.enumerated() {
            while turns[number] <= time {
                losing[number].toggle()
                let isFixed = losing[number] && !loss.isExponential
                turns[number] +=
                    isFixed ? loss.lasting : random.exponential(mean: losing[number] ? loss.lasting : loss.every)
            }
            if losing[number] { share *= 1 - loss.share }
        }
        return share < 1 && random.unit() > share
    }

    /// The RSSI of a tag that is carried away from 3 m, through an outer wall, and back.
    private func carriedRSSI(at time: Double) -> Double {
        let absence = plan.absences[absence]
        let walked = 1.2 * min(time - absence.lowerBound, absence.upperBound - time)
        let metres = min(plan.metres, 3 + walked)
        return -51 - 30 * log10(metres) - (metres > 6 ? 10 : 0)
    }

    private func rssi(at time: Double, from usual: Double) -> Double {
        guard plan.fading > 0, absence < plan.absences.count else { return usual }
        let before = plan.absences[absence].lowerBound - time
        let after = absence > 0 ? time - plan.absences[absence - 1].upperBound : .infinity
        return usual - 25 * max(0, 1 - min(before, after) / plan.fading)
    }
}
