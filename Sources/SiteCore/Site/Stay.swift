import Beacons
import Messages

/// What the gateways have said of one item since it was last away: who has it inside, who has exited it, who can no longer say.
struct Stay: Sendable {
    enum Word: Hashable, Sendable {
        /// It is heard there; that holds until the instant, unless said again.
        case inside(until: Instant)
        /// It left there, at that time.
        case exited(at: WallTime)
        /// It was inside there, and then the gateway stopped saying anything of it.
        case silent
    }

    private(set) var words: [String: Word] = [:]

    init() {}

    /// What was known before a restart: who had exited it, and who had it inside and now has to say so again.
    init(restoring gateways: [String: Bool], since: WallTime) {
        words = gateways.mapValues { hasExited in hasExited ? .exited(at: since) : .silent }
    }

    mutating func inside(at gateway: String, until: Instant) {
        words[gateway] = .inside(until: until)
    }

    mutating func exited(at gateway: String, when: WallTime) {
        words[gateway] = .exited(at: when)
    }

    /// The gateway took back what it said without an exit: from that instant on it says nothing.
    mutating func silent(at gateway: String, from instant: Instant) {
        if case .inside(let until) = words[gateway] { words[gateway] = .inside(until: min(until, instant)) }
    }

    /// Who had it inside and fell silent has it inside until that instant, where `isBelieved` says so.
    mutating func believe(until instant: Instant, _ isBelieved: (String) -> Bool) {
        for (gateway, word) in words where word == .silent && isBelieved(gateway) {
            words[gateway] = .inside(until: instant)
        }
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

    /// When the first `inside` expires unless it is repeated; `nil` if no gateway has the item inside.
    var expires: Instant? {
        var earliest: Instant?
        for case .inside(let until) in words.values { earliest = min(earliest ?? until, until) }
        return earliest
    }

    /// A new stay begins: who is not hearing it now has no part in it.
    mutating func begin() {
        words = words.filter { if case .inside = $0.value { true } else { false } }
    }

    /// Home: a gateway that is alive and hearing has it inside. Away: each that had it inside has exited it, and is alive and
    /// hearing. Unknown: everything else. A dead gateway is not an empty house.
    func presence(isHearing: (String) -> Bool) -> (presence: Presence, lastExit: WallTime?) {
        var lastExit: WallTime?
        var everyoneExited = !words.isEmpty
        for (gateway, word) in words {
            switch word {
            case .inside:
                if isHearing(gateway) { return (.home, nil) }
                everyoneExited = false
            case .exited(let at):
                if !isHearing(gateway) { everyoneExited = false }
                lastExit = max(lastExit ?? at, at)
            case .silent:
                everyoneExited = false
            }
        }
        return everyoneExited ? (.away, lastExit) : (.unknown, nil)
    }

    /// For the disk: who had it inside, and whether they have exited it.
    var kept: [String: Bool] {
        words.mapValues { if case .exited = $0 { true } else { false } }
    }
}
