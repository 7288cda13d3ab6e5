import Beacons
import Messages

/// The publications that were sent and are not acknowledged yet, in the order of sending.
///
/// The window has at most 20 entries. These may be duplicated after a lost connection, and libmosquitto's own queue
/// behind it would be unbounded.
struct Window {
    /// One unacknowledged publication.
    struct Entry {
        /// The packet's identifier on this connection.
        var packet: Int32
        var id: PublicationID
        var publication: OutgoingMessage
        var sentAt: Instant
    }

    /// libmosquitto itself sends 20; further ones would wait in its queue, where they cannot be counted.
    static let most = 20

    private(set) var entries: [Entry] = []
    /// The largest publication of QoS 0, for which no response comes.
    private var unanswerable: OutgoingMessage?
    private let limit: Int

    /// - Parameter receiveMaximum: the broker's limit of unacknowledged publications, if it reported one.
    init(receiveMaximum: Int?) {
        limit = max(1, min(Self.most, receiveMaximum ?? Self.most))
    }

    var isEmpty: Bool { entries.isEmpty }
    var hasRoom: Bool { entries.count < limit }
    var oldest: Instant? { entries.first?.sentAt }

    /// The publication that probably caused the broker to end the connection: brokers respond in order.
    var suspect: OutgoingMessage? { entries.first?.publication ?? unanswerable }

    mutating func sent(_ entry: Entry) {
        entries.append(entry)
    }

    /// Records a publication of QoS 0.
    mutating func sentUnanswerable(_ publication: OutgoingMessage) {
        if publication.size > unanswerable?.size ?? 0 { unanswerable = publication }
    }

    /// Removes the publication that the broker acknowledged or refused; `nil` if no such publication was sent.
    mutating func acknowledged(packet: Int32) -> Entry? {
        guard let index = entries.firstIndex(where: { $0.packet == packet }) else { return nil }
        return entries.remove(at: index)
    }
}
