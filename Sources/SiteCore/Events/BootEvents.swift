import Messages

/// The events of one run of a gateway: which were handed out, which wait, and which are missing.
struct BootEvents: Sendable {
    let boot: Boot
    /// The numbers of events that were handed out or are lost.
    var done: SeqSet
    /// The numbers of `done`, and of events that wait.
    var there: SeqSet
    /// The greatest number that an event is known to have.
    var last: UInt64
    /// The number up to which events had their turn. Missing ones of them may still arrive.
    var cursor: UInt64
    var held: [UInt64: LoggedEvent] = [:]
    /// The last number when the gateway became known. Events up to this number are not requested.
    var passed: UInt64 = 0
    /// Whether the gateway has reported what its log holds of this run and of those before it.
    var isAnnounced = true

    init(_ boot: Boot, done: SeqSet = SeqSet()) {
        self.boot = boot
        (self.done, there, last, cursor) = (done, done, done.last, done.last)
    }

    /// Whether an event of the run has not had its turn.
    var isWaiting: Bool { !isAnnounced || cursor < last }

    /// Whether no event of the run waits or is missing.
    var isOver: Bool { held.isEmpty && missing == nil }

    /// The first range of numbers whose events have neither arrived nor are lost.
    var missing: ClosedRange<UInt64>? { last > 0 ? there.firstGap(in: 1...last) : nil }

    mutating func pass(_ seq: UInt64) {
        giveUp(1...seq)
        (passed, cursor) = (seq, seq)
    }

    /// Continues behind the events that were handed out before a restart.
    mutating func resume() {
        (last, cursor, isAnnounced) = (done.last, done.last, true)
    }

    /// Starts with the event `seq`, whatever was skipped.
    mutating func begin(at seq: UInt64) {
        (done, there, passed, cursor) = (SeqSet(), SeqSet(), 0, 0)
        if seq > 1 {
            giveUp(1...(seq - 1))
            cursor = seq - 1
        }
    }

    /// Adds an event that waits for its turn; returns `false` for a duplicate.
    mutating func hold(_ event: LoggedEvent) -> Bool {
        let seq = event.id.seq
        guard !done.contains(seq), held[seq] == nil else { return false }
        held[seq] = event
        there.insert(seq)
        last = max(last, seq)
        return true
    }

    /// The events with these numbers are lost.
    mutating func giveUp(_ seqs: ClosedRange<UInt64>) {
        done.insert(seqs)
        there.insert(seqs)
    }

    /// Hands out the events that follow the last one without a gap, and late ones before it.
    mutating func drainInOrder() -> [LoggedEvent] {
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

    /// Hands out all events that wait, whatever is missing before them.
    mutating func removeAll() -> [LoggedEvent] {
        defer { (cursor, isAnnounced) = (max(cursor, last), true) }
        return held.keys.sorted().map { handOut($0) }
    }

    private mutating func handOut(_ seq: UInt64) -> LoggedEvent {
        done.insert(seq)
        return held.removeValue(forKey: seq)!
    }
}
