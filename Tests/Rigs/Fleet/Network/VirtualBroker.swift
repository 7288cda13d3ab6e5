import Beacons

/// A broker in virtual time: what MQTT promises of retained messages, QoS, sessions, wills and expiry, and no more.
///
/// It returns what it wants sent; when that arrives is the lines' affair.
struct VirtualBroker: Sendable {
    private struct Retained: Sendable {
        var packet: Packet
        var expires: Instant?
    }

    private struct Session: Sendable {
        var filters: [[Substring]]
        /// The connection that it is served by; `nil`: none.
        var epoch: Int?
        /// Whether it outlives its connection.
        var isLasting: Bool
        var will: Packet
        /// What waits for a confirmation, or for the client's return, in order.
        var waiting: [(packet: Packet, expires: Instant?)] = []
        var number: UInt64 = 0
    }

    /// As mosquitto: of more, the newest are dropped.
    private static let mostWaiting = 1000

    private(set) var isUp = true
    /// Clients whose publications of QoS 1 it does not take.
    var refusing: Set<Int> = []
    private var stored: [String: Retained] = [:]
    private var sessions: [Int: Session] = [:]
    /// What it would remember if it were killed now.
    private var saved: (stored: [String: Retained], sessions: [Int: Session]) = ([:], [:])

    /// What is to be sent to whom on which connection.
    typealias Sending = (client: Int, epoch: Int, packet: Packet)

    /// What is retained on a topic now.
    func retained(on topic: String, at now: Instant) -> [UInt8]? {
        guard let entry = stored[topic], entry.expires.map({ $0 > now }) ?? true else { return nil }
        return entry.packet.payload
    }

    // MARK: Clients

    /// Lets a client in; what is retained for it follows, and what waited for it.
    mutating func letIn(
        _ client: Int, epoch: Int, filters: [String], isLasting: Bool, will: Packet, at now: Instant
    ) -> [Sending] {
        let former = isLasting ? sessions[client] : nil
        sessions[client] = Session(
            filters: filters.map { $0.split(separator: "/", omittingEmptySubsequences: false) }, epoch: epoch,
            isLasting: isLasting, will: will, waiting: former?.waiting ?? [], number: former?.number ?? 0)
        sessions[client]!.waiting.removeAll { $0.expires.map { $0 <= now } ?? false }
        var sendings: [Sending] = sessions[client]!.waiting.map { (client, epoch, $0.packet) }
        for topic in stored.keys.sorted() {
            guard let entry = stored[topic] else { continue }
            guard entry.expires.map({ $0 > now }) ?? true else {
                stored[topic] = nil
                continue
            }
            guard matches(client, topic) else { continue }
            var packet = entry.packet
            packet.retain = true
            sendings += send(packet, to: client, expires: entry.expires)
        }
        return sendings
    }

    /// The connection is over; without a farewell its will is to be published.
    mutating func partedFrom(_ client: Int, epoch: Int) -> Packet? {
        guard let session = sessions[client], session.epoch == epoch else { return nil }
        sessions[client]!.epoch = nil
        if !session.isLasting { sessions[client] = nil }
        return session.will
    }

    /// Whether a client's connection is the one it is served by.
    func serves(_ client: Int, epoch: Int) -> Bool { isUp && sessions[client]?.epoch == epoch }

    /// Whether a client is connected at all, as the broker has it.
    func isServed(_ client: Int) -> Bool { sessions[client]?.epoch != nil }

    mutating func confirm(_ client: Int, number: UInt64) {
        sessions[client]?.waiting.removeAll { $0.packet.number == number }
    }

    // MARK: Messages

    /// Receives a publication, retains it if requested, and delivers it to the subscribers.
    mutating func publish(_ packet: Packet, at now: Instant) -> [Sending] {
        let expires = packet.validFor.map { now + $0 }
        if packet.retain {
            stored[packet.topic] = packet.payload.isEmpty ? nil : Retained(packet: packet, expires: expires)
        }
        var copy = packet
        copy.retain = false
        (copy.event, copy.publication) = (nil, nil)
        return sessions.keys.sorted().filter { matches($0, packet.topic) }.flatMap {
            send(copy, to: $0, expires: expires)
        }
    }

    private mutating func send(_ packet: Packet, to client: Int, expires: Instant?) -> [Sending] {
        var packet = packet
        if packet.isAcknowledged {
            guard sessions[client]!.waiting.count < Self.mostWaiting else { return [] }
            sessions[client]!.number += 1
            packet.number = sessions[client]!.number
            sessions[client]!.waiting.append((packet, expires))
        }
        guard let epoch = sessions[client]!.epoch else { return [] }
        return [(client, epoch, packet)]
    }

    private func matches(_ client: Int, _ topic: String) -> Bool {
        guard let session = sessions[client] else { return false }
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        return session.filters.contains { Self.matches($0, levels) }
    }

    private static func matches(_ filter: [Substring], _ levels: [Substring]) -> Bool {
        for (index, part) in filter.enumerated() {
            if part == "#" { return true }
            guard index < levels.count, part == "+" || part == levels[index] else { return false }
        }
        return filter.count == levels.count
    }

    // MARK: Its own life

    /// What mosquitto does every `autosave_interval`: only this outlives a kill.
    mutating func save() {
        if isUp { saved = (stored, sessions) }
    }

    /// It is gone, and all connections with it.
    mutating func goDown() {
        isUp = false
        for client in sessions.keys { sessions[client]!.epoch = nil }
    }

    /// What it knows when it is back.
    enum Memory { case whole, none, old }

    mutating func comeUp(remembering memory: Memory) {
        isUp = true
        switch memory {
        case .whole: break
        case .none: (stored, sessions) = ([:], [:])
        case .old: (stored, sessions) = saved
        }
        sessions = sessions.filter(\.value.isLasting)
        for client in sessions.keys { sessions[client]!.epoch = nil }
    }
}
