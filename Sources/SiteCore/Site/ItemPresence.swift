import Beacons
import Messages

/// The reports of all gateways about one item since it was last away, and the presence that follows.
package struct ItemPresence: Sendable {
    /// An unusually long silence of the item at one gateway that has it inside.
    package struct Silence: Hashable, Sendable {
        /// When the gateway last received the item.
        var since: Instant
        /// How many silences a day last longer at this gateway while the item is there.
        var perDay: Double

        package init(since: Instant, perDay: Double) {
            self.since = since
            self.perDay = perDay
        }
    }

    package struct Report: Hashable, Sendable {
        /// Until when the report holds, unless the gateway repeats it.
        var until: Instant
        /// Whether it is certain that the gateway has received the item since its last report.
        var isReceived: Bool
        var silence: Silence?

        package init(until: Instant, isReceived: Bool = true, silence: Silence? = nil) {
            self.until = until
            self.isReceived = isReceived
            self.silence = silence
        }
    }

    enum Word: Hashable, Sendable {
        /// The gateway has the item inside. That holds until the instant, unless it is reported again.
        case inside(until: Instant)
        /// The same, but the item has been silent there for unusually long.
        case overdue(until: Instant, Silence)
        /// The item exited at the gateway at that instant, after this silence, if that is known; `nil`: before all exits that have an instant, as before a
        /// restart.
        case exited(at: Instant?, silence: Range<Instant>?)
        /// The gateway had the item inside and has stopped reporting it without an exit.
        case silent

        /// Until when the gateway has the item inside.
        var until: Instant? {
            switch self {
            case .inside(let until), .overdue(let until, _): until
            case .exited, .silent: nil
            }
        }
    }

    /// The rate of false exits a day that a gateway tolerates unless its configuration has another one.
    private static let falseExitsPerDay = 0.05
    /// How rare the silence has to be at the gateway that received the item last: that one knows best whether the item is still there. Where
    /// something hides an item from all gateways at once, the exit of a weaker one is in vain three times as often without it.
    private static let lastSilencesPerDay = 1.0
    /// How often a day an item leaves the house that people carry with them. Only ``awayProbability(at:isScanning:)`` uses that.
    private static let departuresPerDay = 2.0

    private(set) var words: ByGateway<Word> = [:]
    /// When the item left last, unless it has returned since.
    private var leftAt: Instant?
    /// Whether a weak signal shortly after the item left is a return.
    var doubt = ReturnDoubt()

    package init() {}

    /// Continues after a restart. A gateway that had the item inside has to report that again.
    ///
    /// - Parameter gateways: The gateways that had the item inside, and whether the item has exited there.
    init(restoring gateways: [String: Bool]) {
        for (gateway, hasExited) in gateways { words[gateway] = hasExited ? .exited(at: nil, silence: nil) : .silent }
    }

    package mutating func inside(at gateway: String, until: Instant) {
        words[gateway] = .inside(until: until)
    }

    /// Takes over a gateway's enter, unless it arrives late and is of before the item left: that is no return. A gateway that still has the item inside
    /// reports that again.
    mutating func entered(_ gateway: String, at instant: Instant, until: Instant, now: Instant) {
        if let leftAt, instant < leftAt, now - instant > ItemRecord.transit { return }
        inside(at: gateway, until: until)
    }

    /// Takes over a gateway's report; returns whether it counts. If the item left while this gateway had it inside, only a report counts for which
    /// the gateway has received the item.
    @discardableResult package mutating func note(_ report: Report, at gateway: String) -> Bool {
        if case .exited = words[gateway], !report.isReceived { return false }
        words[gateway] = report.silence.map { .overdue(until: report.until, $0) } ?? .inside(until: report.until)
        return true
    }

    /// - Parameter silence: from the last sighting to the exit, if the gateway knows both.
    package mutating func exited(at gateway: String, when: Instant?, silence: Range<Instant>? = nil) {
        words[gateway] = .exited(at: when, silence: silence)
    }

    /// The gateway cleared its state without an exit, or is gone: `inside` ends at that instant at the latest.
    mutating func silent(at gateway: String, from instant: Instant) {
        if let until = words[gateway]?.until, until > instant { words[gateway] = .inside(until: instant) }
    }

    /// The item has left: the gateways that have not received it for unusually long need not exit it any more.
    package mutating func leave(at instant: Instant) {
        leftAt = instant
        words.change { _, word in if case .overdue = word { .exited(at: nil, silence: nil) } else { word } }
    }

    /// Takes silent gateways for which `isBelieved` is true to have the item inside until that instant.
    mutating func believe(until instant: Instant, _ isBelieved: (String) -> Bool) {
        words.change { gateway, word in word == .silent && isBelieved(gateway) ? .inside(until: instant) : word }
    }

    /// The gateway is removed. Its report no longer counts, unless it is the only one, and an exit: the item has left all the same.
    mutating func forget(_ gateway: String) {
        if onlyExit?.gateway != gateway { words[gateway] = nil }
    }

    /// The exit of the item, if only one gateway has reported anything.
    var onlyExit: (gateway: String, at: Instant?)? {
        guard words.count == 1 else { return nil }
        for case (let gateway, .exited(let at, _)) in words { return (gateway, at) }
        return nil
    }

    /// Ends every `inside` that was not reported again in time.
    mutating func expire(at now: Instant) {
        guard let expires, expires <= now else { return }
        words.change { _, word in if let until = word.until, until <= now { .silent } else { word } }
    }

    /// When the first `inside` expires unless it is repeated; `nil` if no gateway has the item inside.
    var expires: Instant? {
        var earliest: Instant?
        for word in words.values { if let until = word.until { earliest = min(earliest ?? until, until) } }
        return earliest
    }

    /// Starts again when the item returns: drops the gateways that do not have the item inside.
    package mutating func begin() {
        leftAt = nil
        words.change { _, word in word.until == nil ? nil : word }
    }

    /// The presence of the item. A gateway that is down does not make an item away.
    ///
    /// - `home`: a gateway that is alive and scans has the item inside.
    /// - `away`: each gateway that had the item inside is alive and scans. The item has exited at each of them; or it has at one, and is in the
    ///   same silence at the others, unusually long there.
    /// - `unknown`: everything else.
    ///
    /// `lastExit` is the last exit that has an instant.
    package func presence(
        isScanning: (String) -> Bool
    ) -> (presence: Presence, lastExit: (gateway: String, at: Instant)?) {
        var lastExit: (gateway: String, at: Instant)?
        let received = lastReceived
        var (isOverdue, everyoneExited) = (false, !words.isEmpty)
        for (gateway, word) in words {
            switch word {
            case .inside:
                if isScanning(gateway) { return (.home, nil) }
                everyoneExited = false
            case .overdue(_, let silence) where silence.since == received && silence.perDay > Self.lastSilencesPerDay:
                if isScanning(gateway) { return (.home, nil) }
                everyoneExited = false
            case .overdue:
                if isScanning(gateway) { isOverdue = true } else { everyoneExited = false }
            case .exited(let at, _):
                if !isScanning(gateway) { everyoneExited = false }
                guard let at else { continue }
                // Of two at the same time, every aggregator takes the same one.
                if lastExit.map({ ($0.at, $0.gateway) < (at, gateway) }) ?? true { lastExit = (gateway, at) }
            case .silent:
                everyoneExited = false
            }
        }
        if isOverdue {
            guard everyoneExited, let exit = exitOfAll else { return (.home, nil) }
            return (.away, exit)
        }
        return everyoneExited ? (.away, lastExit) : (.unknown, nil)
    }

    /// When any gateway last received the item, of those that report how long it is silent.
    private var lastReceived: Instant? {
        var latest: Instant?
        for word in words.values {
            switch word {
            case .overdue(_, let silence): latest = max(latest ?? silence.since, silence.since)
            case .exited(_, let silence?): latest = max(latest ?? silence.lowerBound, silence.lowerBound)
            case .inside, .exited, .silent: break
            }
        }
        return latest
    }

    /// The last exit from which follows that the item has left the house, and not only the range of a gateway: no gateway received the item in the
    /// second half of the silence before the exit.
    private var exitOfAll: (gateway: String, at: Instant)? {
        guard let lastReceived else { return nil }
        var last: (gateway: String, at: Instant)?
        for case (let gateway, .exited(let at?, let silence?)) in words where silence.isLate(since: lastReceived) {
            if last.map({ ($0.at, $0.gateway) < (at, gateway) }) ?? true { last = (gateway, at) }
        }
        return last
    }

    /// The probability that an item that is home has left by now, because it is silent for unusually long at every gateway that has it inside; 0 if
    /// a gateway receives it, or is down.
    ///
    /// All gateways may lose an item for one reason: they know no more together than the one for which the silence is the rarest.
    func awayProbability(at now: Instant, isScanning: (String) -> Bool) -> Double {
        guard let lastReceived else { return 0 }
        var rarest = Double.infinity
        for (gateway, word) in words {
            switch word {
            case .inside, .silent: return 0
            case .overdue(_, let silence):
                guard isScanning(gateway) else { return 0 }
                if silence.since < now, (silence.since..<now).isLate(since: lastReceived) {
                    rarest = min(rarest, silence.perDay)
                }
            case .exited(_, let silence?) where silence.isLate(since: lastReceived):
                rarest = min(rarest, Self.falseExitsPerDay)
            case .exited: break
            }
        }
        return Self.departuresPerDay / (Self.departuresPerDay + rarest)
    }

    /// The gateways that had the item inside, and whether the item has exited there, as stored on disk.
    var stored: [String: Bool] {
        var stored: [String: Bool] = [:]
        for (gateway, word) in words { stored[gateway] = if case .exited = word { true } else { false } }
        return stored
    }
}

extension Range<Instant> {
    /// Whether this silence had lasted for at most half of its time at an instant.
    fileprivate func isLate(since instant: Instant) -> Bool { instant - lowerBound <= upperBound - instant }
}
