import Beacons
import Messages

/// A message on its way to the phones of a person, until all of them show what is true now.
struct PendingMessage: Sendable {
    /// Why a message is no longer shown.
    enum End: String, Hashable, Sendable {
        /// The person acknowledged the message. If it is handed over again, it stays ended.
        case acknowledged
        /// The message is no longer true.
        case withdrawn
    }

    /// The message over one channel.
    struct Way: Sendable {
        let channel: ChannelSettings
        /// Whether the channel has what is true now.
        var isDone = false
        /// Whether the phone may show the message.
        var isShown = false
        /// Whether the channel has taken the message, or an earlier one about the same.
        var hasArrived = false
        /// Whether an attempt failed since the message was new.
        var hasFailed = false
        var underWay: (delivery: Delivery, wasShown: Bool)?
        var failures = 0
        var triesAt: Instant

        /// Something else is true now.
        mutating func begin(at now: Instant) {
            (isDone, failures, triesAt) = (false, 0, now)
        }

        fileprivate mutating func finish(
            _ outcome: DeliveryOutcome, isCurrent: Bool, at now: Instant, using random: inout some RandomNumberGenerator
        ) {
            guard let underWay else { return }
            self.underWay = nil
            hasFailed = hasFailed || outcome != .taken
            switch outcome {
            case .taken:
                isShown = underWay.delivery.content != .nothing
                (isDone, hasArrived) = (isCurrent, isShown)
            case .refused, .ended: isShown = underWay.wasShown
            case .uncertain: break
            }
            guard isCurrent, !isDone else { return }
            let ceiling = min(
                PersonalMessages.longestPause, PersonalMessages.firstPause * Double(1 << min(failures, 16)))
            failures += 1
            triesAt = now + Interval(nanoseconds: .random(in: 0...ceiling.nanoseconds, using: &random))
        }
    }

    /// An earlier message about the same, which a phone may still show: its button acknowledges what that message named.
    struct Former: Members {
        var token: String
        var items: [String]
    }

    static let mostFormers = 16

    var message: PersonalMessage
    /// What acknowledges the message.
    let token: String
    private(set) var formers: [Former] = []
    /// Whether a phone may show the message with this token.
    private(set) var isSent = false
    /// When the message was decided, on this process's clock.
    let decidedAt: Instant
    private(set) var end: (reason: End, at: Instant)?
    private var acknowledged: Set<String> = []
    var ways: [Way]
    /// The keys of former channels that have taken the message.
    var gone: Set<String> = []

    init(
        _ message: PersonalMessage, token: String, decidedAt: Instant, end: (End, at: Instant)? = nil, ways: [Way]
    ) {
        self.message = message
        self.token = token
        self.decidedAt = decidedAt
        self.end = end.map { ($0.0, $0.at) }
        self.ways = ways
    }

    /// Continues after a restart: what was stored may have been sent.
    init(_ stored: StoredMessage, at now: Instant, age: Interval, ways: [Way]) {
        self.init(
            stored.message, token: stored.token, decidedAt: now - age, end: stored.end.map { ($0, at: now) },
            ways: ways)
        (formers, isSent) = (stored.formers, true)
        gone = Set(stored.done).subtracting(ways.flatMap { [$0.channel.key, $0.channel.name] })
    }

    /// Since when the phones are to show what they are to show now.
    var changedAt: Instant { end?.at ?? decidedAt }
    /// What the phones are to show.
    var content: Delivery.Content { end == nil ? .message(message, token: token) : .nothing }
    var hasArrived: Bool { ways.contains(where: \.hasArrived) }
    /// Whether every attempt to send the message has failed.
    var hasFailed: Bool { !hasArrived && ways.contains(where: \.hasFailed) }

    // MARK: Decisions

    mutating func finish(for reason: End, at now: Instant) {
        // The phones of a message that has ended are being cleared already.
        if end == nil { for way in ways.indices { ways[way].begin(at: now) } }
        end = (reason, now)
    }

    /// Notes that items were acknowledged; returns whether all items of the message are.
    mutating func acknowledge(_ items: [String]) -> Bool {
        acknowledged.formUnion(items)
        return acknowledged.isSuperset(of: message.items)
    }

    /// Takes the place of another message about the same. As long as that one has not ended, the buttons that phones show go on working.
    mutating func replace(_ other: PendingMessage) {
        guard other.end == nil else { return }
        let last = other.isSent ? [Former(token: other.token, items: other.message.items)] : []
        formers = (other.formers + last).suffix(Self.mostFormers)
    }

    /// The items that a token acknowledges; `nil`: the token is of another message.
    func items(of token: String) -> [String]? {
        guard end == nil else { return nil }
        return token == self.token ? message.items : formers.first { $0.token == token }?.items
    }

    /// A token acknowledges once.
    mutating func use(_ token: String) { formers.removeAll { $0.token == token } }

    // MARK: Deliveries

    /// Whether something is to be sent over a channel now.
    func isDue(_ way: Way, at now: Instant) -> Bool {
        guard way.underWay == nil, way.triesAt <= now, !isSettled(way) else { return false }
        guard let end else { return now - decidedAt < PersonalMessage.longestDelay }
        return now - end.at < PersonalMessages.longestStored
    }

    func isSettled(_ way: Way) -> Bool {
        guard way.underWay == nil else { return false }
        return way.isDone || end != nil && !(way.isShown && way.channel.canWithdraw)
    }

    /// Whether the message needs to be known no longer: it is withdrawn from every phone, or too old.
    func isOver(at now: Instant) -> Bool {
        guard ways.allSatisfy({ $0.underWay == nil }) else { return false }
        return switch end {
        case (.withdrawn, let at)?: ways.allSatisfy(isSettled) || now - at >= PersonalMessages.longestStored
        case (.acknowledged, _)?: now - decidedAt >= PersonalMessages.longestStored
        case nil: now - decidedAt >= (hasArrived ? PersonalMessages.longestStored : PersonalMessage.longestDelay)
        }
    }

    mutating func start(_ delivery: Delivery, over way: Int) {
        ways[way].underWay = (delivery, ways[way].isShown)
        (ways[way].isShown, isSent) = (true, true)
    }

    /// Notes what became of the delivery over a way. What was sent may have been replaced meanwhile: then the new content is due.
    mutating func finish(
        _ outcome: DeliveryOutcome, over way: Int, at now: Instant, using random: inout some RandomNumberGenerator
    ) {
        let isCurrent = ways[way].underWay?.delivery.content == content
        ways[way].finish(outcome, isCurrent: isCurrent, at: now, using: &random)
    }

    /// Another aggregator delivers the message, and has done so if the time for that is over.
    mutating func leaveToOther(isOver: Bool) {
        isSent = true
        guard isOver else { return }
        for way in ways.indices {
            (ways[way].isDone, ways[way].isShown, ways[way].hasArrived) = (true, true, true)
        }
    }
}

extension PendingMessage.Former {
    func writeFields(to json: inout JSONWriter) {
        json.field("token", token)
        json.field("items", items)
    }

    init(reading fields: inout Fields) throws(PayloadRefusal) {
        token = try fields.text("token")
        items = try fields.texts("items", limit: .max)
    }
}
