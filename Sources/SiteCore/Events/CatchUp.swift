import Beacons
import Messages

/// The time after a connect in which the aggregator collects what happened while it was disconnected, before it publishes any of it.
///
/// The broker delivers what it queued, gateways reconnect one by one, and missing events are requested. The events of several gateways can be
/// put into the order in which they happened only when all have arrived. States of the present wait as well.
struct CatchUp: Sendable {
    /// How long expected gateways may take to reconnect. After an outage of the broker that takes up to half a minute: an attempt may hang
    /// for 14 s between two waits of 8 s.
    static let patience = Interval.seconds(35)
    static let longest = Interval.seconds(60)

    /// A gateway's report that it has an item inside.
    struct Word: Hashable, Sendable {
        /// When the gateway published the report.
        var stamp: Stamp
        var report: ItemPresence.Report
    }

    let began: Instant
    /// The gateways that were up before, and those that publish now. Each is expected to be alive, unless it has stopped itself: an `offline` may be the
    /// will of an earlier connection, or all that a broker that was stopped has of the gateway, which publishes `online` again once it is connected.
    var awaited: Set<String>
    /// The reports by item and gateway; `nil` for a gateway that cleared its report.
    private(set) var words: [String: [String: Word?]] = [:]

    init(began: Instant, awaiting gateways: some Sequence<String>) {
        self.began = began
        awaited = Set(gateways)
    }

    /// Notes the report of a gateway that it has an item inside, or (`nil`) that it cleared its report.
    mutating func note(_ word: Word?, of gateway: String, on item: String) {
        words[item, default: [:]].updateValue(word, forKey: gateway)
    }

    mutating func forget(item: String) { words[item] = nil }

    /// Whether catching up is over: everything that the gateways published during the absence has arrived, or cannot be waited for.
    func isOver(_ gateways: some Collection<GatewayRecord>, at now: Instant, settled: Bool) -> Bool {
        if now >= began + Self.longest || gateways.contains(where: \.events.isFull) { return true }
        guard settled else { return false }
        let incomplete = gateways.filter { $0.isAlive(at: now) && !$0.events.isComplete }
        // A lost request is no reason to apply the events in the wrong order.
        guard now < began + Self.patience else { return !incomplete.contains(where: \.events.hasResponded) }
        return incomplete.isEmpty
            && !gateways.contains { awaited.contains($0.id) && !$0.isAlive(at: now) && !$0.hasStopped }
    }
}
