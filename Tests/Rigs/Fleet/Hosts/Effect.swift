import Beacons
import Messages

/// What a process wants of the world around it.
enum Effect: Sendable {
    /// To be sent to the broker.
    case send(Packet)
    /// The radio reports this so much later.
    case radioReports(RadioNotice, after: Interval)

    /// What is sent to the broker, if anything.
    var packet: Packet? { if case .send(let packet) = self { packet } else { nil } }
}

extension Effect {
    /// Whether it is a beacon's exit on its way to the broker, or may contain one.
    var isExit: Bool {
        guard case .send(let packet) = self else { return false }
        if packet.topic.hasSuffix("/response/events") { return true }
        if case .beacon(let event)? = try? LoggedEvent(parsing: packet.payload) { return event.transition == .exit }
        return false
    }
}
