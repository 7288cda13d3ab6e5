import Beacons
import Messages

/// The time after a connect in which the aggregator takes in what happened while it was away, before it says anything of it.
///
/// The broker hands out what it queued, gateways come back one by one, gaps are asked for. Only when all is here can the events of
/// several gateways be put into the order in which they happened. What gateways say of the present meanwhile waits, too.
struct CatchUp: Sendable {
    /// How long gateways that are expected may take to be heard of: after an outage of the broker they come back within half a minute, be
    /// it that one attempt hangs for 14 s between two waits of 8 s.
    static let patience = Interval.seconds(35)
    /// The longest that it lasts, however much comes in.
    static let longest = Interval.seconds(60)

    /// That a gateway has an item inside.
    struct Word: Hashable, Sendable {
        /// When it said so.
        var stamp: Stamp
        /// For how long that holds.
        var until: Instant
    }

    let began: Instant
    /// The gateways that nothing was heard of yet.
    private(set) var awaited: Set<String>
    /// Who has which item inside, by item and gateway; `nil` for who took that back.
    private(set) var words: [String: [String: Word?]] = [:]

    init(began: Instant, awaiting gateways: some Sequence<String>) {
        self.began = began
        awaited = Set(gateways)
    }

    mutating func heard(of gateway: String) { awaited.remove(gateway) }

    /// A gateway says that it has an item inside, or (`nil`) that it no longer says so.
    mutating func take(_ word: Word?, of gateway: String, on item: String) {
        words[item, default: [:]].updateValue(word, forKey: gateway)
    }

    /// Whether it is over.
    ///
    /// - Parameters:
    ///   - isComplete: nothing is missing of any gateway that lives.
    ///   - isAnswered: those of which something is missing answer what they are asked.
    func isOver(at now: Instant, settled: Bool, isComplete: Bool, isAnswered: Bool) -> Bool {
        if now >= began + Self.longest { return true }
        guard settled else { return false }
        // One question that got lost is no reason to put the past into the wrong order.
        return now >= began + Self.patience ? isComplete || !isAnswered : isComplete && awaited.isEmpty
    }
}
