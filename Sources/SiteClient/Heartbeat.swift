import Beacons
import Messages

/// How a message came from the broker.
package enum Arrival {
    /// It was published just now.
    case live
    /// The broker had retained it. `expiresInSeconds`: for how long it still holds, if the broker states that.
    case retained(expiresInSeconds: UInt32?)

    var isLive: Bool { if case .live = self { true } else { false } }

    /// Until when a payload that came so holds, on this process's clock; `nil` if nobody can know.
    ///
    /// With MQTT 5 the broker counts the remaining time, so clocks need not agree. With MQTT 3.1.1 the payload's `at` decides, if it comes from a
    /// synchronised clock and is recent: an old `at` may come from a clock that was wrong.
    func holds(_ stamp: Stamp, for seconds: UInt32, receivedAt now: Moment) -> Instant? {
        switch self {
        case .live: return now.instant + .seconds(Double(seconds))
        case .retained(let rest?): return now.instant + .seconds(Double(min(rest, seconds)))
        case .retained(nil):
            let age = now.wall - stamp.at
            let rest = Double(seconds) - max(0, age.seconds)
            guard stamp.isClockSynchronised, age > .zero - Self.disagreement, rest > 0 else { return nil }
            return now.instant + .seconds(rest)
        }
    }

    /// By how much two synchronised clocks differ at most.
    private static let disagreement = Interval.seconds(30)
}

/// The retained `availability` and `info` of a program that repeats its `info`. `online` alone proves nothing, because a will can get lost.
package struct Heartbeat<Info> {
    /// Whether the program runs.
    package enum Liveness {
        case alive
        /// It published `offline`, or has not repeated its `info` in time.
        case dead
        /// Nobody can know how old its `info` is: the program has to be asked.
        case doubtful
    }

    package var availability: Availability?
    package private(set) var info: Info?
    /// Until when `info` holds.
    private var until: Instant?

    /// Stores an `info`; `nil` if it was cleared or cannot be read.
    mutating func update(_ newer: Info?, until instant: Instant?) {
        info = newer
        until = instant
    }

    /// Notes that the program has responded: it is alive, even if its clock is wrong.
    mutating func responded(at now: Instant) {
        availability = .online
        until = now + .seconds(Double(Validity.heartbeatSeconds))
    }

    package func liveness(at now: Instant) -> Liveness {
        guard availability == .online else { return .dead }
        guard let until else { return .doubtful }
        return now < until ? .alive : .dead
    }

    /// Whether the broker retains nothing of the program.
    var isEmpty: Bool { availability == nil && info == nil }
}

extension Heartbeat<GatewayInfo> {
    /// How old the `info` is: since it arrived, or by the gateway's clock if the broker does not show that; `nil` if nobody can know.
    func age(at now: Moment) -> Interval? {
        guard let info else { return nil }
        if let until { return now.instant - (until - .seconds(Double(info.validFor))) }
        let age = now.wall - info.stamp.at
        return info.stamp.isClockSynchronised || age < .seconds(86_400) ? age : nil
    }

    /// What the gateway reports, and its clock if that is wrong by the clock of this machine.
    func problems(at now: Moment) -> [String] {
        guard let info, now.isSynchronised, until != nil, let age = age(at: now) else { return info?.problems ?? [] }
        return info.problems + [info.clockProblem(sentAt: now.wall - age)].compactMap(\.self)
    }
}
