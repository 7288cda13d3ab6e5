import Beacons
import Messages
import Text

/// The messages to persons, from the decision until every channel has what is true now.
///
/// The caller stores `stored` whenever `hasChanged`, and only then carries out the deliveries. So a message is neither lost nor forgotten by a
/// restart, and one that a server has taken is not sent again.
package struct PersonalMessages: Sendable {
    /// The most messages that are stored. Beyond it, the oldest is dropped.
    package static let most = 64
    static let mostAtOnce = 4
    /// How long a message is stored that nobody withdraws, and how long the removal from a phone is tried: many times as long as the longest pause
    /// that a server gets, because a phone that is not cleared goes on showing what is no longer true.
    static let longestStored = Interval.seconds(24 * 3600)
    /// How long the active one of two aggregators may take to deliver. An aggregator that takes over sends later messages itself.
    private static let timeOfOther = Interval.seconds(60)
    /// How long it may take until what follows from the past is decided, for example that somebody is home again.
    private static let timeToDecide = Interval.seconds(15)
    /// The pause before the second attempt is drawn from zero to this, and then to twice as much each time.
    static let firstPause = Interval.seconds(2)
    /// The pause before any attempt is at most this.
    static let longestPause = Interval.seconds(300)
    /// The longest title, in bytes.
    static let longestTitle = 256
    /// The longest text, in bytes. ntfy makes a file of a message that is larger than 4096 bytes.
    static let longestText = 1000

    package private(set) var channels: [ChannelSettings]
    private let page: String?
    private let texts: Texts
    /// What the tokens are derived from. Aggregators that share it know each other's tokens.
    private let tokenKey: [UInt8]
    private var entries: [PendingMessage] = []
    private var tests: [ChannelTest] = []
    private var number: UInt64 = 0
    /// How often each channel failed in a row, and why last.
    private var failures: [ChannelSettings: (count: Int, reason: String)] = [:]
    /// When a channel may be used again whose server wants no request before.
    private var pauses: [ChannelSettings: Instant] = [:]
    /// When the messages of a former process are tried, if it is not known before whether they are true; `nil`: nothing waits for that.
    private var restoredWaitUntil: Instant?
    /// The title of the last message to each person that reached nobody.
    private var lost: [String: String] = [:]
    /// Whether something changed that is to be stored; the caller resets it.
    package var hasChanged = false

    /// No messages.
    ///
    /// - Parameters:
    ///   - page: the URL of the page, for phones.
    ///   - texts: the language of what stands beside the messages.
    ///   - tokenKey: at least 16 bytes that nobody can guess: the tokens are derived from it.
    package init(
        _ channels: [ChannelSettings], page: String?, in texts: Texts = .english, tokenKey: [UInt8]
    ) {
        self.channels = channels
        self.page = page
        self.texts = texts
        self.tokenKey = tokenKey
    }

    package var count: Int { entries.count }
    /// Whether nothing is to be done, now or later.
    package var isIdle: Bool { entries.isEmpty && tests.isEmpty }

    /// Applies another list of channels: what is true now goes over the new ones as well.
    package mutating func configure(_ channels: [ChannelSettings], at now: Instant) {
        guard channels != self.channels else { return }
        self.channels = channels
        failures = failures.filter { channels.contains($0.key) }
        pauses = pauses.filter { channels.contains($0.key) }
        hasChanged = hasChanged || !entries.isEmpty
        for index in entries.indices {
            let former = entries[index].ways
            entries[index].ways = ways(to: entries[index].message.person, at: now).map { way in
                former.first { $0.channel == way.channel } ?? way
            }
            for way in former where way.hasArrived && !channels.contains(way.channel) {
                entries[index].gone.insert(way.channel.key)
            }
            entries[index].gone.subtract(channels.map(\.key))
            noteLost(index)
        }
        if channels.isEmpty { entries = [] }
    }

    // MARK: Decisions

    /// Applies a decision. Without any channel nothing happens.
    package mutating func apply(_ change: PersonalMessage.Change, at now: Moment) {
        guard !channels.isEmpty else { return }
        switch change {
        case .send(let message): send(message.shortened, at: now)
        case .withdraw(let person, let key):
            guard let index = index(person, key) else { return withdrawUnknown(person, key, at: now) }
            if entries[index].end?.reason != .withdrawn { end(index, .withdrawn, at: now.instant) }
        case .acknowledged(let item, let key):
            for (index, entry) in entries.enumerated()
            where entry.message.items.contains(item) && entry.message.key == key ?? entry.message.key {
                acknowledge(index, [item], at: now.instant)
            }
        }
    }

    /// Withdraws the messages that concern nobody or nothing any more.
    package mutating func withdraw(at now: Instant, where isOver: (PersonalMessage) -> Bool) {
        for index in entries.indices where entries[index].end?.reason != .withdrawn && isOver(entries[index].message) {
            end(index, .withdrawn, at: now)
        }
    }

    /// A person is gone: what did not reach the person is no problem any more.
    package mutating func forget(person: String, at now: Instant) {
        withdraw(at: now) { $0.person == person }
        lost[person] = nil
    }

    /// Acknowledges what the message with a token named, and uses the token up; returns the message, or `nil` if there is none.
    ///
    /// The token may be that of an earlier message about the same: then the message is returned with the items of that one.
    package mutating func acknowledge(token: String, at now: Instant) -> PersonalMessage? {
        for index in entries.indices {
            guard let items = entries[index].items(of: token) else { continue }
            var message = entries[index].message
            message.items = items
            entries[index].use(token)
            hasChanged = true
            acknowledge(index, items, at: now)
            return message
        }
        return nil
    }

    private mutating func acknowledge(_ index: Int, _ items: [String], at now: Instant) {
        if entries[index].acknowledge(items), entries[index].end == nil { end(index, .acknowledged, at: now) }
    }

    private func index(_ person: String, _ key: String) -> Int? {
        entries.firstIndex { $0.message.person == person && $0.message.key == key }
    }

    private mutating func send(_ message: PersonalMessage, at now: Moment) {
        let former = index(message.person, message.key)
        if let former, entries[former].message == message, entries[former].end?.reason != .withdrawn { return }
        let age = now.age(of: message.at)
        guard age < PersonalMessage.longestDelay else { return }
        var ways = former.map { entries[$0].ways } ?? ways(to: message.person, at: now.instant)
        let isNew = former.map { entries[$0].end != nil } ?? true
        for index in ways.indices {
            ways[index].begin(at: now.instant)
            if isNew { (ways[index].hasArrived, ways[index].hasFailed) = (false, false) }
        }
        var entry = PendingMessage(message, token: token(of: message), decidedAt: now.instant - age, ways: ways)
        if let former { entry.replace(entries.remove(at: former)) }
        insert(entry)
        noteLost(entries.count - 1)
    }

    /// Withdraws a message that this process does not store, because another aggregator sent it, or because it is old: a phone may still show it.
    private mutating func withdrawUnknown(_ person: String, _ key: String, at now: Moment) {
        let message = PersonalMessage(person: person, key: key, title: "", text: "", at: now.wall)
        var entry = PendingMessage(
            message, token: token(of: message), decidedAt: now.instant, end: (.withdrawn, at: now.instant),
            ways: ways(to: person, at: now.instant))
        for index in entry.ways.indices { entry.ways[index].isShown = true }
        insert(entry)
    }

    /// 128 bits as 32 hexadecimal digits: only who has the key can derive them from a message.
    private func token(of message: PersonalMessage) -> String {
        let words = [message.person, message.key, "\(message.at)"] + message.items
        return hexadecimal(
            Array(authenticationCode(of: Array(words.joined(separator: "/").utf8), by: tokenKey).prefix(16)))
    }

    private mutating func insert(_ entry: PendingMessage) {
        entries.append(entry)
        if entries.count > Self.most { drop(0) }
        hasChanged = true
    }

    private func ways(to person: String, at now: Instant) -> [PendingMessage.Way] {
        channels.filter { $0.person == person }.map { PendingMessage.Way(channel: $0, triesAt: now) }
    }

    private mutating func end(_ index: Int, _ reason: PendingMessage.End, at now: Instant) {
        let entry = entries[index]
        if reason == .withdrawn, entry.end == nil, entry.hasFailed { lost[entry.message.person] = entry.message.title }
        entries[index].finish(for: reason, at: now)
        hasChanged = true
    }

    private mutating func drop(_ index: Int) {
        let entry = entries.remove(at: index)
        if entry.end == nil, !entry.hasArrived { lost[entry.message.person] = entry.message.title }
        hasChanged = true
    }

    /// Notes a message to a person without a channel, unless it has arrived before.
    private mutating func noteLost(_ index: Int) {
        let entry = entries[index]
        if entry.end == nil, entry.ways.isEmpty, entry.gone.isEmpty { lost[entry.message.person] = entry.message.title }
    }

    // MARK: Deliveries

    /// The deliveries that are due. Each is to be carried out once, and its outcome to be handed to `finish`.
    ///
    /// - Parameter isActive: whether this aggregator delivers; otherwise another one does, with the same decisions.
    package mutating func startDeliveries(isActive: Bool = true, at now: Instant) -> [Delivery] {
        for index in entries.indices.reversed() where entries[index].isOver(at: now) { drop(index) }
        forgetFailures()
        guard isActive else {
            for index in entries.indices {
                entries[index].leaveToOther(isOver: now - entries[index].changedAt >= Self.timeOfOther)
            }
            return []
        }
        var started: [Delivery] = []
        var running = entries.reduce(0) { $0 + $1.ways.count { $0.underWay != nil } }
        for index in entries.indices {
            for (way, isDue) in entries[index].ways.map({ entries[index].isDue($0, at: now) }).enumerated()
            where isDue && running < Self.mostAtOnce {
                let entry = entries[index]
                if let end = pauses[entry.ways[way].channel], now < end { continue }
                let delivery = delivery(entry.message, entry.content, over: entry.ways[way].channel)
                entries[index].start(delivery, over: way)
                started.append(delivery)
                running += 1
            }
        }
        for index in tests.indices { started += tests[index].start() }
        return started
    }

    /// Forgets why a channel failed once nothing is to be sent over the channel.
    private mutating func forgetFailures() {
        guard !failures.isEmpty else { return }
        let inUse = entries.flatMap { entry in entry.ways.filter { !entry.isSettled($0) }.map(\.channel) }
        failures = failures.filter { inUse.contains($0.key) }
    }

    private mutating func delivery(
        _ message: PersonalMessage, _ content: Delivery.Content, over channel: ChannelSettings
    ) -> Delivery {
        number += 1
        return Delivery(
            number: number, channel: channel, tag: message.tag, content: content, page: page, texts: texts)
    }

    /// Notes what became of a delivery.
    package mutating func finish(
        _ number: UInt64, _ outcome: DeliveryOutcome, at now: Instant, using random: inout some RandomNumberGenerator
    ) {
        for index in tests.indices where tests[index].finish(number, outcome) {
            let channel = tests[index].channel(of: number)
            if outcome == .taken { lost[channel.person] = nil }
            return note(outcome, of: channel, at: now)
        }
        for index in entries.indices {
            guard let way = entries[index].ways.firstIndex(where: { $0.underWay?.delivery.number == number }) else {
                continue
            }
            note(outcome, of: entries[index].ways[way].channel, at: now)
            guard outcome != .ended else { return }
            entries[index].finish(outcome, over: way, at: now, using: &random)
            guard entries[index].ways[way].isDone else { return }
            if entries[index].end == nil { lost[entries[index].message.person] = nil }
            hasChanged = true
            return
        }
    }

    private mutating func note(_ outcome: DeliveryOutcome, of channel: ChannelSettings, at now: Instant) {
        // At once: the file follows, and a message that is due would be sent once more.
        guard outcome != .ended else { return configure(channels.filter { $0 != channel }, at: now) }
        if case .refused(_, let pause?) = outcome { pauses[channel] = max(pauses[channel] ?? now, now + pause) }
        failures[channel] = outcome.problem.map { ((failures[channel]?.count ?? 0) + 1, $0) }
    }

    // MARK: Problems

    /// What keeps messages from persons, a sentence for each person. A channel that failed once is no problem: it is tried again.
    package var problems: [String] {
        Set(channels.map(\.person)).union(lost.keys).sorted().compactMap { person in
            let own = channels.filter { $0.person == person }
            let failing = own.filter { failures[$0].map { $0.count > 1 } ?? false }
            let reasons = failing.map { "\($0.name): \(failures[$0]!.reason)" }.joined(separator: "; ")
            if own.isEmpty {
                return
                    "Messages to \(person) reach nobody: subscribe a browser on the page, or add a [[channel]] with person = \"\(person)\"."
            }
            if failing.count == own.count { return "Messages to \(person) reach nobody: \(reasons)." }
            if let title = lost[person] { return "The message \"\(title)\" to \(person) reached nobody." }
            return failing.isEmpty ? nil : "Not every channel of \(person) delivers: \(reasons)."
        }
    }

    // MARK: Tests

    /// Sends a message over each channel of a person, once; returns whether the person has one.
    ///
    /// - Parameter id: what `finishedTests` returns with the results.
    package mutating func test(_ person: String, id: UInt64, at now: Moment) -> Bool {
        let own = channels.filter { $0.person == person }
        guard !own.isEmpty else { return false }
        let message = PersonalMessage(
            person: person, key: "test", title: texts.localized("A test"),
            text: texts.localized("Messages to you arrive here."), at: now.wall)
        let deliveries = own.map { delivery(message, .message(message, token: "test"), over: $0) }
        tests.append(ChannelTest(id: id, endsAt: now.instant + ChannelTest.longest, deliveries))
        return true
    }

    /// The tests that are over, with the outcome over each channel; `nil`: none yet.
    package mutating func finishedTests(at now: Instant) -> [(
        id: UInt64, results: [(ChannelSettings, DeliveryOutcome?)]
    )] {
        let over = tests.filter { $0.isOver(at: now) }
        tests.removeAll { $0.isOver(at: now) }
        return over.map { ($0.id, $0.results) }
    }

    /// The messages as they are stored.
    package var stored: [StoredMessage] {
        entries.map { entry in
            StoredMessage(
                message: entry.message, token: entry.token, formers: entry.formers, end: entry.end?.reason,
                done: entry.ways.filter(\.isDone).map(\.channel.key) + entry.gone.sorted(),
                arrived: entry.ways.filter { $0.hasArrived && !$0.isDone }.map(\.channel.key))
        }
    }

    /// Continues after a restart. What was under way may have arrived or not, so it is sent again: with its tag it replaces the first on the phone.
    ///
    /// - Parameter wait: how long messages wait at most until `pastIsKnown`.
    package mutating func restore(_ stored: [StoredMessage], waiting wait: Interval = .zero, at now: Moment) {
        guard !channels.isEmpty else { return }
        restoredWaitUntil = now.instant + wait
        entries = stored.suffix(Self.most).map { stored in
            let triesAt = stored.end == nil ? now.instant + wait : now.instant
            let ways = ways(to: stored.message.person, at: triesAt).map { way in
                var way = way
                // Earlier versions stored the name.
                way.isDone = stored.done.contains(way.channel.key) || stored.done.contains(way.channel.name)
                (way.isShown, way.hasArrived) = (true, way.isDone || stored.arrived.contains(way.channel.key))
                return way
            }
            return PendingMessage(stored, at: now.instant, age: now.age(of: stored.message.at), ways: ways)
        }
        for index in entries.indices { noteLost(index) }
    }

    /// It is known what happened between the former process and this one. What follows from it, for example that a message is withdrawn, is decided
    /// within seconds.
    package mutating func pastIsKnown(at now: Instant) {
        guard let former = restoredWaitUntil.take() else { return }
        for index in entries.indices {
            for way in entries[index].ways.indices where entries[index].ways[way].triesAt == former {
                entries[index].ways[way].triesAt = min(former, now + Self.timeToDecide)
            }
        }
    }
}

extension PersonalMessage {
    /// The name of the message on phones. It is the same after a restart and on another aggregator, and names neither the person nor the subject.
    var tag: String { "forgetmenot-" + String(fnv1a("\(person)/\(key)".utf8), radix: 16) }

    /// The message with texts that every channel carries.
    fileprivate var shortened: PersonalMessage {
        var message = self
        message.title = title.prefix(bytes: PersonalMessages.longestTitle)
        message.text = text.prefix(bytes: PersonalMessages.longestText)
        return message
    }
}

extension String {
    /// The whole characters of the first bytes, with an ellipsis if there are more.
    fileprivate func prefix(bytes most: Int) -> String {
        guard utf8.count > most else { return self }
        var (short, size) = ("", 3)
        for character in self {
            size += character.utf8.count
            guard size <= most else { break }
            short.append(character)
        }
        return short + "…"
    }
}

extension Moment {
    /// How long ago something was. Zero if the clock is not synchronised, because nobody knows then.
    fileprivate func age(of time: WallTime) -> Interval { isSynchronised ? max(.zero, wall - time) : .zero }
}
