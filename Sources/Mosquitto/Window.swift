import Beacons

/// The publications that the broker has and has not acknowledged, in the order in which they went out.
///
/// It is small (20 at most): after a lost connection these are what may be doubled, and libmosquitto's own queue behind it
/// would be without limit.
struct Window {
    /// One of them.
    struct Entry {
        /// The packet's identifier on this connection.
        var packet: Int32
        var id: PublicationID
        var topic: String
        var sentAt: Instant
    }

    /// libmosquitto sends 20 by itself as well; more would wait where it cannot be counted.
    static let most = 20

    private(set) var entries: [Entry] = []
    private let limit: Int

    /// - Parameter receiveMaximum: what the broker said that it takes at once, where it said so.
    init(receiveMaximum: Int?) {
        limit = max(1, min(Self.most, receiveMaximum ?? Self.most))
    }

    var isEmpty: Bool { entries.isEmpty }
    var hasRoom: Bool { entries.count < limit }
    /// When the one that waits longest was sent.
    var oldest: Instant? { entries.first?.sentAt }

    mutating func sent(_ entry: Entry) {
        entries.append(entry)
    }

    /// Takes out the one that the broker answered; `nil` where it answers what nobody sent.
    mutating func answered(packet: Int32) -> Entry? {
        guard let index = entries.firstIndex(where: { $0.packet == packet }) else { return nil }
        return entries.remove(at: index)
    }
}
