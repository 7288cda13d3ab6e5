import Beacons

/// Whether another client connects to the broker with this service's id: the broker then ends the connection of the one that was there.
package struct SharedID: Sendable {
    /// How long this is a problem after the last time. Who was thrown out tries again within 16 min, and throws the other one out.
    package static let memory = Interval.seconds(1800)

    private var noticedAt: Instant?

    package init() {}

    package var isProblem: Bool { noticedAt != nil }

    /// The broker has ended the connection for another client with the same id.
    package mutating func noticed(at now: Instant) { noticedAt = now }

    /// Whether the problem is over, which is reported once.
    package mutating func takeEnd(at now: Instant) -> Bool {
        guard let noticedAt, now - noticedAt >= Self.memory else { return false }
        self.noticedAt = nil
        return true
    }

    /// The problem in a sentence. A broker that closes each connection without a reason looks the same.
    package static func sentence(_ clientID: String, ofGateway isGateway: Bool) -> String {
        "another client seems to connect to the broker as \(clientID), which ends this \(isGateway ? "gateway" : "aggregator")'s connection: "
            + (isGateway
                ? "if two gateways have this id, give one of them another one"
                : "if a second aggregator runs for this site, stop it, or give both a [standby] table")
    }
}
