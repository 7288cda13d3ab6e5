import Beacons
import Delivery
import Messages

/// One of several aggregators of a site: which one is active, and what this one knows of the others.
struct Standby: Sendable {
    /// The name of this aggregator among them.
    let name: String
    var seat: Seat
    /// The events that this aggregator has decided and nobody has published.
    var unpublished = UnpublishedEvents()
    /// Whether they are to be published by this aggregator, once it has caught up.
    var mustPublish = false
    /// The items with a notification that the broker retains.
    private(set) var notified: Set<String> = []
    /// The items that the active one has as away, while this one does not know them; taken over once this one has caught up.
    private(set) var away: [String: WallTime] = [:]
    /// The aggregators that are connected, this one included.
    private(set) var members: Set<String> = []
    /// The request for what the active one has published while this one received nothing; `nil`: it has responded.
    private(set) var missed: HistoryRequest?
    /// Events of this aggregator that the broker has delivered, the last few.
    private var ownReceived: [UInt64] = []
    /// Until when every message has been received, if there is no connection.
    private var receivedUntil: WallTime

    /// What is published in so short a time before this aggregator stops receiving may be unknown to it: it had not decided the same yet, or had
    /// not written that.
    static let margin = Interval.seconds(300)

    /// - Parameter stored: the site as a former process wrote it.
    init(_ settings: StandbySettings, stored: StoredSite? = nil, at start: Moment) {
        name = settings.name
        seat = Seat(name: settings.name)
        receivedUntil = stored?.writtenAt ?? start.wall
        unpublished.addPending(stored?.unpublished ?? [], at: start.instant)
    }

    /// What follows from a message of an active aggregator.
    enum Consequence: Hashable, Sendable {
        /// This aggregator is active from now on: everything that its predecessor published has been received.
        case takeOver
        /// Another aggregator became active: it publishes what this one has decided and not published.
        case leaveToOther
    }

    /// The aggregators on standby, for `info`.
    var others: [String] { members.subtracting([name]).sorted() }

    // MARK: What the others publish

    /// Receives an `info` of an active aggregator.
    ///
    /// - Parameter isOwn: whether this process published it.
    mutating func receivedInfo(isOwn: Bool, isRetained: Bool, at now: Instant) -> Consequence? {
        guard !isRetained else { return nil }
        guard isOwn else { return receivedAnother(at: now) }
        return seat.receivedItself() ? .takeOver : nil
    }

    /// Another aggregator has done what only an active one does.
    mutating func receivedAnother(at now: Instant) -> Consequence? {
        let wasFollowing = seat.followsAnother
        seat.receivedAnother(at: now)
        return !wasFollowing && seat.followsAnother ? .leaveToOther : nil
    }

    /// Receives the availability of one of the aggregators; returns whether another set of them is connected now.
    mutating func receive(member name: String, _ availability: Availability?) -> Bool {
        let former = members
        if availability == .online {
            if former.count <= AggregatorInfo.longestStandby { members.insert(name) }
        } else {
            members.remove(name)
        }
        return members != former
    }

    /// The broker has delivered an event of this aggregator.
    mutating func received(own seq: UInt64) {
        ownReceived.append(seq)
        if ownReceived.count > EventPublisher.window * 2 { ownReceived.removeFirst() }
    }

    /// Whether the broker has delivered an event of this aggregator, as far as is known.
    func hasReceived(own seq: UInt64) -> Bool { ownReceived.contains(seq) }

    /// This aggregator is connected, and has received nothing since then. What the broker stored for it is not all: a process that was killed
    /// had received some, and a broker drops what is too much.
    mutating func connected(at now: Instant) {
        seat.connected(at: now)
        missed = HistoryRequest(since: min(receivedUntil - Self.margin, missed?.since ?? receivedUntil))
    }

    /// This aggregator receives nothing from now on.
    mutating func disconnected(at moment: Moment) {
        if seat.isConnected { receivedUntil = moment.wall }
        seat.disconnected()
    }

    /// The active one has responded.
    ///
    /// - Parameter last: the last event of the response if there are more.
    mutating func receivedMissed(behind last: EventID?, at now: Instant) {
        seat.receivedResponse(at: now)
        missed = last.map { HistoryRequest(since: missed?.since, after: LogCursor([$0])) }
        if missed != nil { seat.mayAsk(at: now) }
    }

    // MARK: What the broker retains of the items

    /// Notes whether an item is away for the active aggregator, and since when.
    mutating func noteAway(_ location: ItemLocation, of id: String) {
        // Away without a time is no news.
        if location.presence == .away, location.since == nil { return }
        away[id] = location.presence == .away ? location.since : nil
    }

    /// Notes whether the broker retains a notification of an item.
    mutating func note(isNotified: Bool, _ id: String) {
        if isNotified { notified.insert(id) } else { notified.remove(id) }
    }

    /// The items that are away for the active aggregator are known to this one from now on.
    mutating func forgetAway() { away = [:] }
}
