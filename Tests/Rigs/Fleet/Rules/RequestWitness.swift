import Beacons
import Messages

/// Compares the requests that a service received on its connection with its responses.
struct RequestWitness: Sendable {
    /// The time in which a service that has a connection responds.
    private static let patience = Interval.seconds(1)

    /// When each request was received that has no response yet, by its name.
    private var open: [String: [Instant]] = [:]

    /// A message was given to the service: a request, perhaps. A retained one is to be ignored.
    mutating func delivered(_ packet: Packet, at now: Instant) {
        guard !packet.retain else { return }
        switch Topic(named: packet.topic, under: .standard) {
        case .gatewayRequest(_, let what), .aggregatorRequest(let what): open[what, default: []].append(now)
        default: break
        }
    }

    /// The service published something: a response, perhaps.
    mutating func sent(_ packet: Packet) {
        guard !open.isEmpty else { return }
        switch Topic(named: packet.topic, under: .standard) {
        case .gatewayResponse(_, let what), .aggregatorResponse(let what):
            guard open[what] != nil else { return }
            open[what]!.removeFirst()
            if open[what]!.isEmpty { open[what] = nil }
        default: break
        }
    }

    /// The connection or the process has ended: nobody waits for a response any more.
    mutating func ended() { open = [:] }

    /// The requests without a response in time; each is reported once.
    mutating func late(at now: Instant) -> String? {
        guard let (what, times) = open.min(by: { $0.value[0] < $1.value[0] }), now - times[0] > Self.patience else {
            return nil
        }
        open = [:]
        return "request/\(what) waits for \(Double((now - times[0]).milliseconds) / 1000) s"
    }
}
