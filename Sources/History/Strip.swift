import Beacons

/// The past of one item from afar: of each step, the state that lasted the longest in it, of what is known.
struct Strip {
    private let item: String
    private let start: Int64
    private let end: Int64
    private let step: Int64
    /// The state that lasts, and up to when it was counted.
    private var state: Stay.State?
    private var countedUpTo: Int64
    /// How long each state lasted in the present step.
    private var sums: [Stay.State: Int64] = [:]
    private var stays: [Stay] = []

    /// Nothing is known of an item yet.
    ///
    /// - Parameter step: at least a millisecond.
    init(of item: String, from: WallTime, to: WallTime, step: Interval) {
        (self.item, self.step) = (item, step.milliseconds)
        (start, end, countedUpTo) = (from.milliseconds, to.milliseconds, from.milliseconds)
    }

    /// Another state begins, in order of time. One that began before the strip lasts at its beginning.
    mutating func change(to state: Stay.State?, at time: Int64) {
        count(upTo: time)
        self.state = state
    }

    /// The stays, oldest first. Each begins and ends with a step; the last has no end if it lasts. Where nothing is known there is none.
    mutating func finish() -> [Stay] {
        count(upTo: end)
        if let last = stays.last, last.to?.milliseconds == end, last.state == state { stays[stays.count - 1].to = nil }
        return stays
    }

    private mutating func count(upTo time: Int64) {
        let time = min(time, end)
        while countedUpTo < time {
            let stepEnd = min(end, countedUpTo + step - (countedUpTo - start) % step)
            let until = min(time, stepEnd)
            if let state { sums[state, default: 0] += until - countedUpTo }
            countedUpTo = until
            if until == stepEnd { endStep() }
        }
    }

    private mutating func endStep() {
        defer { sums.removeAll(keepingCapacity: true) }
        let stepStart = countedUpTo - 1 - (countedUpTo - 1 - start) % step
        // Of two states that lasted equally long, the one that went on before.
        let former = stays.last.flatMap { $0.to?.milliseconds == stepStart ? $0.state : nil }
        let longest = sums.max { ($0.value, $0.key == former ? 1 : 0) < ($1.value, $1.key == former ? 1 : 0) }
        guard let shown = longest?.key else { return }
        if shown == former {
            stays[stays.count - 1].to = WallTime(milliseconds: countedUpTo)
        } else {
            let from = WallTime(milliseconds: stepStart)
            stays.append(Stay(item: item, state: shown, from: from, to: WallTime(milliseconds: countedUpTo)))
        }
    }
}
