import Beacons
import Linux
import Synchronization

/// Where the owner's thread and the connection's meet: two bounded queues under one lock, and a bell on either side.
///
/// Neither waits for the other: the lock is held for a few appends, never for a call to libmosquitto or the kernel's network.
final class Exchange: Sendable {
    /// A publication that was accepted, under its name.
    struct Accepted {
        var id: PublicationID
        var publication: Publication
    }

    /// Publications waiting to be sent; what comes beyond is not accepted.
    static let mostPublications = 1000
    /// What they weigh together, in bytes; the first is accepted whatever it weighs.
    static let mostPublicationBytes = 4 << 20
    /// Notices waiting to be taken; from here on the socket is not read. What one reading brings beyond twice as many is dropped.
    static let mostNotices = 1000
    /// What their messages weigh together, in bytes.
    static let mostMessageBytes = 4 << 20

    /// A subscription that comes or goes while the connection lasts.
    enum Recall: Hashable {
        case subscribe([String])
        case unsubscribe([String])
    }

    private struct State {
        var outbox = Queue<Accepted>()
        var outboxBytes = 0
        var inbox: [BrokerNotice] = []
        var inboxBytes = 0
        var dropped: [MessageRefusal: Int] = [:]
        var lastID: UInt64 = 0
        /// The broker let us in, and has not gone.
        var isConnected = false
        /// The owner has taken the notice that says so, and none since that denies it: what it publishes now is meant for this
        /// connection, and not written off with the one before.
        var ownerKnows = false
        /// The connection's thread reads no more until the owner has taken what there is.
        var readerWaits = false
        /// Retained messages that the owner asks for once more.
        var recalls: [Recall] = []
        /// A publication did not fit, and the owner waits for room.
        var ownerWaits = false
        /// Set once: when the farewell must be over.
        var stopBy: Instant?
    }

    /// Readable when there is a notice to take.
    let forOwner: Wakeup
    /// Readable when the connection's thread has something to look at.
    let forConnection: Wakeup
    private let state = Mutex(State())

    init() throws(SystemError) {
        forOwner = try Wakeup()
        forConnection = try Wakeup()
    }

    // MARK: the owner's side

    /// All notices since the last time.
    func take() -> [BrokerNotice] {
        state.withLock { state in
            forOwner.answer()
            var notices = state.inbox
            state.inbox = []
            state.inboxBytes = 0
            for reason in MessageRefusal.allCases {
                if let count = state.dropped[reason] { notices.append(.dropped(count: count, reason)) }
            }
            state.dropped = [:]
            state.ownerKnows = state.isConnected
            if state.readerWaits {
                state.readerWaits = false
                forConnection.ring()
            }
            return notices
        }
    }

    /// Accepts one publication; `nil` when there is no connection that the owner knows of, or no room.
    func publish(_ publication: Publication) -> PublicationID? {
        state.withLock { state in
            guard state.isConnected, state.ownerKnows, state.stopBy == nil else { return nil }
            guard Self.hasRoom(state, for: publication) else {
                state.ownerWaits = true
                return nil
            }
            return accept(publication, &state)
        }
    }

    /// Asks for a change of subscriptions on this connection.
    func recall(_ recall: Recall) {
        state.withLock { state in
            guard state.isConnected, state.ownerKnows, state.stopBy == nil else { return }
            state.recalls.append(recall)
            forConnection.ring()
        }
    }

    /// Publications that wait to be sent.
    var waiting: Int { state.withLock { $0.outbox.count } }

    /// Asks the connection's thread to publish the farewell behind all that waits, to part from the broker, and to end.
    func stop(farewell: [Publication], by deadline: Instant) {
        state.withLock { state in
            guard state.stopBy == nil else { return }
            if state.isConnected { for publication in farewell { _ = accept(publication, &state) } }
            state.stopBy = deadline
            forConnection.ring()
        }
    }

    private static func hasRoom(_ state: State, for publication: Publication) -> Bool {
        state.outbox.isEmpty
            || state.outbox.count < mostPublications && state.outboxBytes + publication.size <= mostPublicationBytes
    }

    private func accept(_ publication: Publication, _ state: inout State) -> PublicationID {
        state.lastID += 1
        let id = PublicationID(number: state.lastID)
        if state.outbox.isEmpty { forConnection.ring() }
        state.outbox.append(Accepted(id: id, publication: publication))
        state.outboxBytes += publication.size
        return id
    }

    // MARK: the connection's side

    /// When the farewell must be over; `nil` while nobody asked for an end.
    var stopBy: Instant? { state.withLock { $0.stopBy } }

    /// The broker let us in.
    func connected(sessionPresent: Bool) {
        state.withLock { state in
            state.isConnected = true
            post(.connected(sessionPresent: sessionPresent), &state)
        }
    }

    /// The connection is over, and with it what waited to be sent.
    func disconnected(_ fault: BrokerFault) {
        state.withLock { state in
            state.isConnected = false
            state.ownerKnows = false
            state.outbox.removeAll()
            state.outboxBytes = 0
            (state.recalls, state.ownerWaits) = ([], false)
            post(.disconnected(fault), &state)
        }
    }

    /// Something to tell that is no message.
    func tell(_ notice: BrokerNotice) {
        state.withLock { post(notice, &$0) }
    }

    /// A message came.
    func received(_ message: BrokerMessage) {
        state.withLock { state in
            guard state.inbox.count < 2 * Self.mostNotices, state.inboxBytes < 2 * Self.mostMessageBytes else {
                drop(.queueFull, &state)
                return
            }
            state.inboxBytes += message.size
            post(.message(message), &state)
        }
    }

    /// A message came that nobody will see.
    func refused(_ reason: MessageRefusal) {
        state.withLock { drop(reason, &$0) }
    }

    /// The next publication to be sent: the oldest, or none where that one needs an acknowledgement and may not go yet.
    func next(mayBeAcknowledged: Bool) -> Accepted? {
        state.withLock { state in
            guard let first = state.outbox.first, first.publication.qos == .atMostOnce || mayBeAcknowledged else {
                return nil
            }
            state.outboxBytes -= first.publication.size
            defer {
                // Half of the queue at once: a bell for each place would wake the owner for each message.
                let isHalfEmpty =
                    state.outbox.count <= Self.mostPublications / 2
                    && state.outboxBytes <= Self.mostPublicationBytes / 2
                if state.ownerWaits, isHalfEmpty {
                    state.ownerWaits = false
                    forOwner.ring()
                }
            }
            return state.outbox.removeFirst()
        }
    }

    /// The changes of subscriptions that were asked for since the last time.
    func takeRecalls() -> [Recall] {
        state.withLock { state in
            defer { state.recalls = [] }
            return state.recalls
        }
    }

    /// Whether the owner keeps up with what comes; if it does not, the bell rings when it has taken it.
    func ownerKeepsUp() -> Bool {
        state.withLock { state in
            let keepsUp = state.inbox.count < Self.mostNotices && state.inboxBytes < Self.mostMessageBytes
            if !keepsUp { state.readerWaits = true }
            return keepsUp
        }
    }

    // Under the lock, as is the answer in `take`: the bell rings if and only if there is something to take.
    private func post(_ notice: BrokerNotice, _ state: inout State) {
        if state.inbox.isEmpty && state.dropped.isEmpty { forOwner.ring() }
        state.inbox.append(notice)
    }

    private func drop(_ reason: MessageRefusal, _ state: inout State) {
        if state.inbox.isEmpty && state.dropped.isEmpty { forOwner.ring() }
        state.dropped[reason, default: 0] += 1
    }
}
