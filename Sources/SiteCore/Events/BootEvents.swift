import Messages

/// The events of one boot of a gateway, as they come in.
struct BootEvents: Sendable {
    let boot: Boot
    /// Handed out, or known to be lost.
    var done: SeqSet
    /// Those, and those that wait.
    var there: SeqSet
    /// The greatest number that is known to have been given.
    var last: UInt64
    /// All up to here had their turn; what is missed of them may still come in.
    var cursor: UInt64
    var held: [UInt64: LoggedEvent] = [:]
    /// Up to here they were there when the gateway was met, and are not asked for.
    var passed: UInt64 = 0
    /// The gateway has said what its log holds of this boot and of those before it.
    var isAnnounced = true

    init(_ boot: Boot, done: SeqSet = SeqSet()) {
        self.boot = boot
        (self.done, there, last, cursor) = (done, done, done.last, done.last)
    }

    /// Something before its end has not had its turn.
    var isWaiting: Bool { !isAnnounced || cursor < last }

    /// Nothing of it waits, and nothing is missing.
    var isOver: Bool { held.isEmpty && missing == nil }

    /// The lowest numbers that are neither here nor known to be lost.
    var missing: ClosedRange<UInt64>? { last > 0 ? there.firstGap(in: 1...last) : nil }

    /// Those up to `seq` are nothing to us.
    mutating func pass(_ seq: UInt64) {
        giveUp(1...seq)
        (passed, cursor) = (seq, seq)
    }

    /// Goes on behind what was handed out before a restart.
    mutating func resume() {
        (last, cursor, isAnnounced) = (done.last, done.last, true)
    }

    /// The first that is something to us is `seq`, whatever was passed.
    mutating func begin(at seq: UInt64) {
        (done, there, passed, cursor) = (SeqSet(), SeqSet(), 0, 0)
        if seq > 1 {
            giveUp(1...(seq - 1))
            cursor = seq - 1
        }
    }

    /// Takes an event that is to wait for its turn; `false` if it had it, or waits already.
    mutating func hold(_ event: LoggedEvent) -> Bool {
        let seq = event.id.seq
        guard !done.contains(seq), held[seq] == nil else { return false }
        held[seq] = event
        there.insert(seq)
        last = max(last, seq)
        return true
    }

    /// Those will not come.
    mutating func giveUp(_ seqs: ClosedRange<UInt64>) {
        done.insert(seqs)
        there.insert(seqs)
    }

    /// Those that follow what had its turn, and those that missed it.
    mutating func takeInOrder() -> [LoggedEvent] {
        guard isAnnounced else { return [] }
        var turns: [LoggedEvent] = []
        for seq in held.keys.filter({ $0 <= cursor }).sorted() { turns.append(handOut(seq)) }
        while true {
            if let known = done.ranges.last(where: { $0.contains(cursor + 1) }) {
                cursor = known.upperBound
            } else if held[cursor + 1] != nil {
                turns.append(handOut(cursor + 1))
            } else {
                return turns
            }
        }
    }

    /// All that wait, whatever is missing before them.
    mutating func takeAll() -> [LoggedEvent] {
        defer { (cursor, isAnnounced) = (max(cursor, last), true) }
        return held.keys.sorted().map { handOut($0) }
    }

    private mutating func handOut(_ seq: UInt64) -> LoggedEvent {
        done.insert(seq)
        return held.removeValue(forKey: seq)!
    }
}
