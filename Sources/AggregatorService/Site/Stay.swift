import Beacons
import Messages

/// What the gateways have said of one item since it was last away: who has it inside, who has exited it, who can no longer say.
struct Stay: Sendable {
    enum Word: Hashable, Sendable {
        /// It is heard there; that holds until the instant, unless said again.
        case inside(until: Instant)
        /// It left there, at that instant of ours.
        case exited(at: Instant)
        /// It was inside there, and then the gateway stopped saying anything of it.
        case silent
    }

    private(set) var words: [String: Word] = [:]

    /// Whether any gateway has had it inside.
    var isEmpty: Bool { words.isEmpty }

    mutating func inside(at gateway: String, until: Instant) {
        if case .inside(let known) = words[gateway], known > until { return }
        words[gateway] = .inside(until: until)
    }

    /// An exit counts only where it was inside before, or where nothing was known.
    mutating func exited(at gateway: String, when: Instant) {
        words[gateway] = .exited(at: when)
    }

    /// The gateway cleared what it said, or let it run out, without an exit.
    mutating func silent(at gateway: String) {
        if case .inside = words[gateway] { words[gateway] = .silent }
    }

    mutating func forget(_ gateway: String) {
        words[gateway] = nil
    }

    /// Lets every `inside` that was not said again run out.
    mutating func expire(at now: Instant) {
        for (gateway, word) in words {
            if case .inside(let until) = word, until <= now { words[gateway] = .silent }
        }
    }

    /// When the next `inside` runs out.
    var nextDeadline: Instant? {
        words.values.compactMap { if case .inside(let until) = $0 { until } else { nil } }.min()
    }

    /// Home: a gateway that is alive and hearing has it inside. Away: each that had it inside has exited it, and is alive and
    /// hearing. Unknown: everything else. A dead gateway is not an empty house (truth.md, rule 2).
    func presence(hearing: (String) -> Bool) -> (presence: Presence, lastExit: Instant?) {
        var lastExit: Instant?
        var everyoneExited = !words.isEmpty
        for (gateway, word) in words {
            switch word {
            case .inside:
                if hearing(gateway) { return (.home, nil) }
                everyoneExited = false
            case .exited(let at):
                if !hearing(gateway) { everyoneExited = false }
                lastExit = max(lastExit ?? at, at)
            case .silent:
                everyoneExited = false
            }
        }
        return everyoneExited ? (.away, lastExit) : (.unknown, nil)
    }
}
