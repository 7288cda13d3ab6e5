import Beacons

/// The room that is reported of one item, and which of its changes are events.
///
/// A change to another room is reported when that room is clearly likelier. It is a move, and an event, once the room is also likelier than all
/// others together: what goes back before that was none.
package struct ReportedRoom: Hashable, Sendable {
    /// A change that is an event.
    package struct Move: Hashable, Sendable {
        /// The room that the last event named.
        package var from: String
        /// The new one.
        package var to: String
    }

    /// The room; `nil` while none is known.
    package private(set) var room: String?
    /// The room that the last event named, or that was known before any event.
    package private(set) var announced: String?
    /// Whether the announced room was known before a restart and not estimated since: nobody watched the item meanwhile.
    private var isUnconfirmed = false
    /// When the item was last known to be still.
    private var stillAt: Instant?
    /// Since when the reported room is clear, and another than the announced one.
    private var clearSince: Instant?
    /// Whether an item that came back waits until its estimate is settled.
    package private(set) var isWaiting = false

    /// Whether time alone may change what is reported: the item waits for an estimate, or a change for its confirmation.
    package var isPending: Bool { isWaiting || clearSince != nil }

    /// An item whose room was known before a restart, or is not known.
    package init(_ room: String? = nil, announced: String? = nil) {
        self.room = room
        self.announced = announced ?? room
        isUnconfirmed = room != nil
    }

    /// The item came back: no room is reported before its estimate is settled.
    package mutating func returned() {
        self = ReportedRoom()
        isWaiting = true
    }

    /// Continues with the room that another aggregator has published: the item is watched, so that another room needs evidence of a move.
    package mutating func adopt(_ room: String) {
        self = ReportedRoom(room)
        isUnconfirmed = false
    }

    /// Replaces the names of rooms that have other ones now, which is no move.
    package mutating func rename(by names: [String: String]) {
        (room, announced) = (room.map { names[$0] ?? $0 }, announced.map { names[$0] ?? $0 })
    }

    /// Reports the room of the gateway that receives the item best, while nothing is estimated. The first clear estimate replaces that room
    /// without a move.
    package mutating func guess(_ room: String) {
        self = ReportedRoom()
        self.room = room
    }

    /// Updates the room with the estimate at a moment; returns a move if there is one.
    ///
    /// - An estimate that is not settled changes nothing if a room is known: other gateways are about to report.
    /// - If the item was not watched, the change must last for 20 s, and so if it was still a while ago, unless it is hardly doubtful: people pass.
    /// - If the item's RSSI has not changed, another room is no move but a correction.
    package mutating func update(with estimate: RoomEstimate, at now: Instant) -> Move? {
        // The filter begins with its prior, and leaves a room reluctantly.
        let likeliest = announced == nil ? estimate.rooms.first?.room : estimate.room
        guard let best = likeliest, estimate.isSettled || (room == nil && !isWaiting) else { return nil }
        isWaiting = false
        guard let known = room else {
            room = best
            announceFirst(estimate)
            return nil
        }
        if best != known, isLikelier(best, than: known, estimate) { (room, clearSince) = (best, nil) }
        if estimate.stillness >= 1 { stillAt = now }
        guard let announced else {
            announceFirst(estimate)
            return nil
        }
        guard let room, room != announced, estimate.share(of: room) ?? 0 >= Tuning.clear,
            isLikelier(room, than: announced, estimate)
        else {
            clearSince = nil
            if room == announced, estimate.share(of: announced) ?? 0 >= Tuning.clear { isUnconfirmed = false }
            return nil
        }
        let since = clearSince ?? now
        clearSince = since
        let share = estimate.share(of: announced)
        let lead = (estimate.share(of: room) ?? 0) - (share ?? 0)
        let (memory, wait, certain) = Tuning.doubtAfterRest
        let isDoubtful = isUnconfirmed || lead < certain && stillAt.map { (now - $0).seconds < memory } ?? false
        guard !isDoubtful || share == nil || (now - since).seconds >= wait else { return nil }
        guard isUnconfirmed || hasChanged(estimate, until: since) else {
            // The item has been still since before: the former room was wrong, and this one is a correction.
            if estimate.stillness >= 1 { (self.announced, clearSince) = (room, nil) }
            return nil
        }
        (isUnconfirmed, clearSince, self.announced) = (false, nil, room)
        return Move(from: announced, to: room)
    }

    /// The first room is no move, however late it becomes clear.
    private mutating func announceFirst(_ estimate: RoomEstimate) {
        if let room, estimate.isSettled, estimate.share(of: room) ?? 0 >= Tuning.clear { announced = room }
    }

    /// Whether the RSSI at some gateways changed within the minutes before a moment, as it does when an item is moved.
    private func hasChanged(_ estimate: RoomEstimate, until moment: Instant) -> Bool {
        estimate.movedAt.map { (moment - $0).seconds < Tuning.movement } ?? false
    }

    /// Whether a room leads another by enough, or the other one cannot be.
    private func isLikelier(_ room: String, than other: String, _ estimate: RoomEstimate) -> Bool {
        guard let share = estimate.share(of: other) else { return true }
        let (moving, still) = Tuning.reportingLead
        return (estimate.share(of: room) ?? 0) - share >= moving + estimate.stillness * (still - moving)
    }
}
