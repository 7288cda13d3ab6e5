import Beacons

/// Which gateways of a site receive anything at all: a gateway that receives nothing of any item while the others receive many is deaf.
///
/// The items must have been elsewhere than at one place meanwhile: a far gateway does not receive a still item, and is not deaf. Pass
/// the result to each `Locator`: `deaf(gateway:)`, and `receives(gateway:)` once it receives again.
package struct Reception: Sendable {
    /// Seconds for which a gateway has to receive nothing before it may be deaf.
    private static let patience = 120.0
    /// Reports of the other gateways that it takes meanwhile.
    private static let fewestReports = 20
    /// Other gateways that have to receive an item best meanwhile, or all where there are fewer.
    private static let fewestVisited = 3

    private struct Gateway: Sendable {
        /// When the gateway last received something, or began to scan.
        var at: Instant
        /// How many reports all gateways had by then.
        var reports: Int
        /// When it last was the one that received an item best.
        var nearestAt: Instant?
        var isDeaf = false
    }

    private var gateways: [String: Gateway] = [:]
    private var reports = 0

    package init() {}

    /// The gateway scans from a moment on; a gateway that scans already is unchanged.
    package mutating func scans(_ gateway: String, since: Instant) {
        if gateways[gateway] == nil { gateways[gateway] = Gateway(at: since, reports: reports) }
    }

    /// The gateway does not scan any more: nothing is expected of it.
    package mutating func lost(_ gateway: String) { gateways[gateway] = nil }

    /// Adds one report of a gateway, and the gateway that receives that item best; returns `true` if the gateway was deaf until then.
    package mutating func receives(_ gateway: String, nearest: String?, at: Instant) -> Bool {
        guard let former = gateways[gateway] else { return false }
        reports += 1
        gateways[gateway] = Gateway(at: at, reports: reports, nearestAt: former.nearestAt)
        if let nearest { gateways[nearest]?.nearestAt = at }
        return former.isDeaf
    }

    /// The gateways that are found to be deaf now and were not before, in the order of their ids. Ask once a second.
    package mutating func newlyDeaf(at now: Instant) -> [String] {
        var found: [String] = []
        for (id, gateway) in gateways where !gateway.isDeaf {
            guard (now - gateway.at).seconds >= Self.patience, reports - gateway.reports >= Self.fewestReports else {
                continue
            }
            let visited = gateways.values.count { $0.nearestAt.map { $0 > gateway.at } ?? false }
            guard visited >= max(1, min(Self.fewestVisited, gateways.count - 1)) else { continue }
            gateways[id]?.isDeaf = true
            found.append(id)
        }
        return found.sorted()
    }
}
