import Beacons
import Linux
import Messages
import Synchronization

/// The exchange between the owner's thread and the connection's thread: two bounded queues under one lock, and a wakeup
/// for each side.
///
/// Neither thread blocks the other: the lock is held only for a few appends, never during calls to libmosquitto or the
/// network.
final class Exchange: Sendable {
    /// An accepted publication with its id.
    struct Accepted {
        var id: PublicationID
        var publication: OutgoingMessage
    }

    /// The limit of waiting publications; further ones are not accepted.
    static let mostPublications = 1000
    /// The limit of their total size in bytes; the first publication is accepted at any size.
    static let mostPublicationBytes = 4 << 20
    /// The limit of waiting notices, above which the socket is not read. If one read yields more than twice as many,
    /// the rest is dropped.
    static let mostNotices = 1000
    /// The limit of the total size of waiting messages in bytes.
    static let mostMessageBytes = 4 << 20

    /// A change of subscriptions during a connection.
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
        var isConnected = false
        /// Whether the owner has taken the notice of this connection and none of its end. Its publications are then
        /// meant for this connection, and are not lost with the previous one.
        var ownerKnows = false
        /// Whether the connection's thread stops reading until the owner has taken the notices.
        var readerWaits = false
        /// The changes of subscriptions that the owner has requested.
        var recalls: [Recall] = []
        /// Whether a publication was not accepted, so that the owner waits for room.
        var ownerWaits = false
        /// Whether `forOwner` is signalled. An owner that takes often must not pay a call into the kernel each time.
        var isOwnerRung = false
        /// The deadline of the farewell; set once.
        var stopBy: Instant?

        /// Whether `take` would change nothing: no notice waits, and the owner knows of the connection what there is to know.
        var isUpToDate: Bool {
            inbox.isEmpty && dropped.isEmpty && ownerKnows == isConnected && !readerWaits
        }
    }

    /// Readable if there are notices to take.
    let forOwner: Wakeup
    /// Readable if the connection's thread has work.
    let forConnection: Wakeup
    private let state = Mutex(State())

    init() throws(SystemError) {
        forOwner = try Wakeup()
        forConnection = try Wakeup()
    }

    // MARK: The owner's side

    /// Returns all notices since the last call.
    func take() -> [BrokerNotice] {
        state.withLock { state in
            if state.isOwnerRung {
                state.isOwnerRung = false
                forOwner.acknowledge()
            }
            guard !state.isUpToDate else { return [] }
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

    /// Accepts one publication; `nil` if the owner knows of no open connection, or if there is no room.
    func publish(_ publication: OutgoingMessage) -> PublicationID? {
        state.withLock { state in
            guard state.isConnected, state.ownerKnows, state.stopBy == nil else { return nil }
            guard Self.hasRoom(state, for: publication) else {
                state.ownerWaits = true
                return nil
            }
            return accept(publication, &state)
        }
    }

    func recall(_ recall: Recall) {
        state.withLock { state in
            guard state.isConnected, state.ownerKnows, state.stopBy == nil else { return }
            state.recalls.append(recall)
            forConnection.ring()
        }
    }

    var waiting: Int { state.withLock { $0.outbox.count } }

    /// Requests the connection's thread to publish the farewell after all waiting publications, to disconnect, and to
    /// end.
    func stop(farewell: [OutgoingMessage], by deadline: Instant) {
        state.withLock { state in
            guard state.stopBy == nil else { return }
            if state.isConnected { for publication in farewell { _ = accept(publication, &state) } }
            state.stopBy = deadline
            forConnection.ring()
        }
    }

    private static func hasRoom(_ state: State, for publication: OutgoingMessage) -> Bool {
        state.outbox.isEmpty
            || state.outbox.count < mostPublications && state.outboxBytes + publication.size <= mostPublicationBytes
    }

    private func accept(_ publication: OutgoingMessage, _ state: inout State) -> PublicationID {
        state.lastID += 1
        let id = PublicationID(number: state.lastID)
        if state.outbox.isEmpty { forConnection.ring() }
        state.outbox.append(Accepted(id: id, publication: publication))
        state.outboxBytes += publication.size
        return id
    }

    // MARK: The connection's side

    /// The deadline of the farewell; `nil` if `stop` was not called.
    var stopBy: Instant? { state.withLock { $0.stopBy } }

    /// What the owner wants, read at once.
    struct Requests {
        /// The deadline of the farewell; `nil` if `stop` was not called.
        var stopBy: Instant?
        /// Whether there are changes of subscriptions.
        var hasRecalls: Bool
        var waiting: Int
    }

    /// What the owner wants now. What it wants later rings.
    var requests: Requests {
        state.withLock { Requests(stopBy: $0.stopBy, hasRecalls: !$0.recalls.isEmpty, waiting: $0.outbox.count) }
    }

    func connected(sessionPresent: Bool) {
        state.withLock { state in
            state.isConnected = true
            post(.connected(sessionPresent: sessionPresent), &state)
        }
    }

    /// Records that the connection is over, and drops the waiting publications.
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

    /// Adds a notice that is not a message.
    func report(_ notice: BrokerNotice) {
        state.withLock { post(notice, &$0) }
    }

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

    func refused(_ reason: MessageRefusal) {
        state.withLock { drop(reason, &$0) }
    }

    /// The next publication to send: the oldest, or `nil` if that requires an acknowledgement and must wait.
    func next(mayBeAcknowledged: Bool) -> Accepted? {
        state.withLock { state in
            guard let first = state.outbox.first, first.publication.qos == .atMostOnce || mayBeAcknowledged else {
                return nil
            }
            state.outboxBytes -= first.publication.size
            defer {
                // The owner is woken when half of the queue is free; otherwise each free place would wake it.
                let isHalfEmpty =
                    state.outbox.count <= Self.mostPublications / 2
                    && state.outboxBytes <= Self.mostPublicationBytes / 2
                if state.ownerWaits, isHalfEmpty {
                    state.ownerWaits = false
                    ringOwner(&state)
                }
            }
            return state.outbox.removeFirst()
        }
    }

    /// Returns the requested changes of subscriptions since the last call.
    func takeRecalls() -> [Recall] {
        state.withLock { state in
            defer { state.recalls = [] }
            return state.recalls
        }
    }

    /// Whether the owner takes notices fast enough. If not, `take` wakes the connection's thread.
    func ownerKeepsUp() -> Bool {
        state.withLock { state in
            let keepsUp = state.inbox.count < Self.mostNotices && state.inboxBytes < Self.mostMessageBytes
            if !keepsUp { state.readerWaits = true }
            return keepsUp
        }
    }

    // This runs under the lock, as does `take`, so that the wakeup is signalled if and only if there are notices.
    private func post(_ notice: BrokerNotice, _ state: inout State) {
        if state.inbox.isEmpty && state.dropped.isEmpty { ringOwner(&state) }
        state.inbox.append(notice)
    }

    private func ringOwner(_ state: inout State) {
        guard !state.isOwnerRung else { return }
        state.isOwnerRung = true
        forOwner.ring()
    }

    private func drop(_ reason: MessageRefusal, _ state: inout State) {
        if state.inbox.isEmpty && state.dropped.isEmpty { ringOwner(&state) }
        state.dropped[reason, default: 0] += 1
    }
}
