import Beacons
import Messages

/// The reports of all gateways about one item since it was last away, and the presence that follows.
struct ItemPresence: Sendable {
    enum Word: Hashable, Sendable {
        /// The gateway has the item inside. That holds until the instant, unless it is reported again.
        case inside(until: Instant)
        /// The item exited at the gateway, at that time.
        case exited(at: WallTime)
        /// The gateway had the item inside and has stopped reporting it without an exit.
        case silent
    }

    private(set) var words: ByGateway<Word> = [:]

    init() {}

    /// Continues after a restart. A gateway that had the item inside has to report that again.
    ///
    /// - Parameter gateways: The gateways that had the item inside, and whether the item has exited there.
    init(restoring gateways: [String: Bool], since: WallTime) {
        for (gateway, hasExited) in gateways { words[gateway] = hasExited ? .exited(at: since) : .silent }
    }

    mutating func inside(at gateway: String, until: Instant) {
        words[gateway] = .inside(until: until)
    }

    mutating func exited(at gateway: String, when: WallTime) {
        words[gateway] = .exited(at: when)
    }

    /// The gateway cleared its state without an exit: `inside` ends at that instant.
    mutating func silent(at gateway: String, from instant: Instant) {
        if case .inside(let until) = words[gateway] { words[gateway] = .inside(until: min(until, instant)) }
    }

    /// Takes silent gateways for which `isBelieved` is true to have the item inside until that instant.
    mutating func believe(until instant: Instant, _ isBelieved: (String) -> Bool) {
        words.change { gateway, word in word == .silent && isBelieved(gateway) ? .inside(until: instant) : word }
    }

    mutating func forget(_ gateway: String) {
        words[gateway] = nil
    }

    /// Ends every `inside` that was not reported again in time.
    mutating func expire(at now: Instant) {
        guard let expires, expires <= now else { return }
        words.change { _, word in if case .inside(let until) = word, until <= now { .silent } else { word } }
    }

    /// When the first `inside` expires unless it is repeated; `nil` if no gateway has the item inside.
    var expires: Instant? {
        var earliest: Instant?
        for case .inside(let until) in words.values { earliest = min(earliest ?? until, until) }
        return earliest
    }

    /// Starts again when the item returns: drops the gateways that do not have the item inside.
    mutating func begin() {
        words.change { _, word in if case .inside = word { word } else { nil } }
    }

    /// The presence of the item. A gateway that is down does not make an item away.
    ///
    /// - `home`: a gateway that is alive and scans has the item inside.
    /// - `away`: the item has exited at each gateway that had it inside, and each of these is alive and scans.
    /// - `unknown`: everything else.
    func presence(
        isScanning: (String) -> Bool
    ) -> (presence: Presence, lastExit: (gateway: String, at: WallTime)?) {
        var lastExit: (gateway: String, at: WallTime)?
        var everyoneExited = !words.isEmpty
        for (gateway, word) in words {
            switch word {
            case .inside:
                if isScanning(gateway) { return (.home, nil) }
                everyoneExited = false
            case .exited(let at):
                if !isScanning(gateway) { everyoneExited = false }
                // Of two at the same time, every aggregator takes the same one.
                if lastExit.map({ ($0.at, $0.gateway) < (at, gateway) }) ?? true { lastExit = (gateway, at) }
            case .silent:
                everyoneExited = false
            }
        }
        return everyoneExited ? (.away, lastExit) : (.unknown, nil)
    }

    /// The gateways that had the item inside, and whether the item has exited there, as stored on disk.
    var stored: [String: Bool] {
        var stored: [String: Bool] = [:]
        for (gateway, word) in words { stored[gateway] = if case .exited = word { true } else { false } }
        return stored
    }
}
