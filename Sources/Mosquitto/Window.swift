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
        var publication: Publication
        var sentAt: Instant
    }

    /// libmosquitto sends 20 by itself as well; more would wait where it cannot be counted.
    static let most = 20

    private(set) var entries: [Entry] = []
    /// The largest that needs no acknowledgement: nobody says whether it was read.
    private var unanswerable: Publication?
    private let limit: Int

    /// - Parameter receiveMaximum: what the broker said that it takes at once, where it said so.
    init(receiveMaximum: Int?) {
        limit = max(1, min(Self.most, receiveMaximum ?? Self.most))
    }

    var isEmpty: Bool { entries.isEmpty }
    var hasRoom: Bool { entries.count < limit }
    /// When the one that waits longest was sent.
    var oldest: Instant? { entries.first?.sentAt }

    /// What the broker stumbled over, if it did: brokers answer in order.
    var suspect: Publication? { entries.first?.publication ?? unanswerable }

    mutating func sent(_ entry: Entry) {
        entries.append(entry)
    }

    /// One went out that will not be acknowledged.
    mutating func sentUnanswerable(_ publication: Publication) {
        if publication.size > unanswerable?.size ?? 0 { unanswerable = publication }
    }

    /// Takes out the one that the broker answered; `nil` where it answers what nobody sent.
    mutating func answered(packet: Int32) -> Entry? {
        guard let index = entries.firstIndex(where: { $0.packet == packet }) else { return nil }
        return entries.remove(at: index)
    }
}
