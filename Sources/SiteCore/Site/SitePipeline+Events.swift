import Beacons
import Journal
import Messages

/// The gateways' numbered events: each is applied once, in order, and what is missing is asked for.
extension SitePipeline {
    /// Takes an event of a beacon or of a region as it was published: both have numbers of one log.
    mutating func take(_ event: LoggedEvent, from gateway: String) {
        guard know(gateway), gateways[gateway]?.events.take(event, at: now.instant) == true else { return }
        applyReady(of: gateway)
    }

    /// Takes what a gateway answers to `request/events`; answers to others' questions are theirs.
    mutating func take(answer payload: [UInt8], from gateway: String) throws(PayloadRefusal) {
        guard gateways[gateway] != nil else { return }
        let response = try Response<EventsAnswer>(parsing: payload)
        // The broker keeps for us what a former process asked for: that is no answer to what this one asks.
        let own = ownTransactions
        guard case .done(let answer) = response.outcome, let transaction = response.transaction?.string,
            transaction.hasPrefix(own)
        else { return }
        let question = String(transaction.dropFirst(own.count))
        guard let forgotten = gateways[gateway]?.events.take(answer, transaction: question, at: now.instant)
        else { return }
        unwritten.gateways.insert(gateway)
        if let clock = answer.now { gateways[gateway]?.learn(clock.boot, uptime: clock.uptime, at: now.instant) }
        for seqs in forgotten.seqs {
            let count = seqs.upperBound - seqs.lowerBound + 1
            let events = count == 1 ? "event \(seqs.lowerBound)" : "events \(seqs.lowerBound) to \(seqs.upperBound)"
            let sentence = "\(gateway) had to forget \(events) of its boot \(forgotten.boot) before they came here"
            gateways[gateway]?.lost = sentence
            outputs.append(.note(sentence))
        }
        applyReady(of: gateway)
        ask(gateway)
    }

    /// How the transactions of this process begin.
    private var ownTransactions: String { "\(boot)-" }

    /// Asks a gateway that lives for what is missing, if it is time.
    mutating func ask(_ gateway: String) {
        guard gateways[gateway]?.isAlive(at: now.instant) == true,
            let question = gateways[gateway]?.events.nextQuestion(at: now.instant)
        else { return }
        publish(
            Message(
                .gatewayRequest(gateway: gateway, what: "events"),
                bytes: Request.bytes(of: question.wanted, transaction: .string(ownTransactions + question.transaction)))
        )
    }

    /// Applies the events of a gateway whose turn it is.
    mutating func applyReady(of gateway: String) {
        guard catchUp == nil else { return }
        for event in gateways[gateway]?.events.takeReady(at: now.instant) ?? [] { apply(event, of: gateway) }
    }

    /// - Parameter instant: when it happened, where better known than by the gateway's clock.
    private mutating func apply(_ event: LoggedEvent, of gateway: String, at instant: Instant? = nil) {
        // Which events were applied has to be known after a restart, even where nothing else changes.
        unwritten.gateways.insert(gateway)
        outputs.append(.keep)
        if case .region(let event) = event { apply(event) }
        guard case .beacon(let event) = event, let id = registry.item(of: event.beacon) else { return }
        if let newest = items[id]?.newest[gateway]?.id, gateways[gateway]?.events.isBefore(event.id, newest) == true {
            return
        }
        items[id]?.newest[gateway] = (event.id, event.stamp)
        gateways[gateway]?.note(item: id)
        unwritten.states.insert(id)
        let at = gateways[gateway]?.instant(of: event.stamp, now: now.instant)
        // The gateway's own clock dates the event where that clock is synchronised, and ours where not. Either may be wrong by years.
        let wall = event.stamp.isClockSynchronised ? event.stamp.at : at.map(now.wall(at:)) ?? event.stamp.at
        switch event.transition {
        case .enter:
            // The first ranged state follows within a second or two, and says for how long it holds.
            items[id]?.stay.inside(at: gateway, until: now.instant + Self.firstWord)
        case .exit:
            items[id]?.silent(gateway)
            items[id]?.stay.exited(at: gateway, when: wall)
            if items[id]?.item.sleeps == true, let rssi = event.lastRSSI, let seen = event.lastSeenAt,
                let exited = instant ?? at
            {
                let lastSeen = exited - max(.zero, event.stamp.at - seen)
                items[id]?.sleep.exited(gateway, rssi: rssi, lastSeen: lastSeen)
            }
        }
        // Where nothing better is known yet, it is where it was heard first.
        let isEnter = event.transition == .enter
        if let happened = instant ?? at { items[id]?.goBack(to: happened) }
        judge(id, entering: isEnter ? (room(of: gateway) ?? event.room, wall) : nil)
        // Where it was once is no news of where it is: of the past, events are told and states are not.
        if !isReliving { sayIfDue(id) }
        deadlines.set(id, at: now.instant)
    }

    // MARK: After an absence

    /// Looks up what the log on disk has that was told after the site was last kept: after a crash it is not told again.
    package mutating func recallWhatWasTold(read: (EventSpan, Catalogue) -> [Entry]?) {
        let entries = spansToldSinceKept.flatMap { read($0, log.catalogue) ?? [] }
        wasTold(entries.compactMap { try? ItemEvent(parsing: $0.payload) })
    }

    private var spansToldSinceKept: ArraySlice<EventSpan> {
        let spans = log.spans[...]
        // A site that was never kept, but told: all of it. Without a gateway nothing will be applied again.
        guard let last = toldBefore else { return gateways.isEmpty ? [] : spans }
        // Where the log has forgotten that boot, what was told is too long ago to be told again.
        guard let index = spans.firstIndex(where: { $0.boot == last.boot.description }) else { return [] }
        var later = spans[index...]
        if last.seq < later[index].seqs.upperBound {
            later[index].seqs = max(last.seq + 1, later[index].seqs.lowerBound)...later[index].seqs.upperBound
        } else {
            later.removeFirst()
        }
        return later
    }

    /// Takes what was told after the site was last kept, oldest first.
    mutating func wasTold(_ events: [ItemEvent]) {
        told = ToldEvents(events)
        // What the site says was told stays as it was until the same events are applied again: another start before that has to know them, too.
        toldFormerly = events.last?.id
        for (id, room) in told.lastRooms where items[id]?.presence == .home { items[id]?.room = room }
    }

    /// Messages of the broker were dropped unread: events may be among them, and are asked for.
    mutating func missedMessages() {
        for id in gateways.keys { gateways[id]?.events.missedSomething() }
    }

    /// What happened meanwhile is taken in first, if there is anybody whose events were followed before.
    mutating func beginCatchingUp() {
        missedMessages()
        guard !gateways.isEmpty else { return }
        // Who was dead before is not waited for; after a start nobody knows who was.
        let awaited = gateways.values.filter { $0.isTakenAs.alive || $0.info == nil }
        catchUp = CatchUp(began: now.instant, awaiting: awaited.map(\.id))
    }

    /// Once everything is here: the events of all gateways in the order in which they happened, then the present.
    mutating func catchUpIfComplete() {
        guard let catchUp else { return }
        let incomplete = gateways.values.filter { $0.isAlive(at: now.instant) && !$0.events.isComplete }
        guard
            catchUp.isOver(
                at: now.instant, settled: now.instant >= settlesAt, isComplete: incomplete.isEmpty,
                isAnswered: incomplete.contains(where: \.events.isAnswered))
                || gateways.values.contains(where: \.events.isFull)
        else { return }
        self.catchUp = nil
        // Who cannot tell what happened there has its last word: what it had inside did not leave.
        let silent = Set(
            gateways.values.filter { !$0.isAlive(at: now.instant) || !$0.events.isComplete }.map(\.id))
        for (id, words) in catchUp.words {
            for case (let gateway, let word?) in words where silent.contains(gateway) {
                items[id]?.stay.inside(at: gateway, until: word.until)
            }
        }
        isReliving = true
        publishFormerReturns()
        for (event, gateway, instant) in pastEvents() { apply(event, of: gateway, at: instant) }
        isReliving = false
        told = ToldEvents()
        for id in items.keys {
            let words = catchUp.words[id] ?? [:]
            for case (let gateway, let word?) in words where isOfThePresent(word, of: gateway, on: id) {
                items[id]?.stay.inside(at: gateway, until: word.until)
            }
            items[id]?.stay.expire(at: now.instant)
            // A gateway that has begun anew has not ranged it yet: what was home stays so for as long as a word holds.
            let tookBack = words.filter { $0.value == nil }
            if items[id]?.presence == .home {
                items[id]?.stay.believe(until: now.instant + Self.firstWord) { tookBack[$0] == nil }
            }
            judge(id)
            sayIfDue(id)
            deadlines.set(id, at: now.instant)
        }
    }

    /// Whether what a gateway ranged during the catching up still is so: a boot that is over, or what was before an exit, says nothing of now.
    private func isOfThePresent(_ word: CatchUp.Word, of gateway: String, on id: String) -> Bool {
        word.stamp.boot == gateways[gateway]?.info?.stamp.boot
            && items[id]?.isOvertaken(word.stamp, from: gateway) != true
    }

    /// What waits of each gateway, by time; the order of each gateway's own is its numbers'.
    private mutating func pastEvents() -> [(LoggedEvent, gateway: String, at: Instant)] {
        var past: [(event: LoggedEvent, gateway: String, at: Instant)] = []
        for id in gateways.keys.sorted() {
            var latest: Instant?
            // A wall clock is asked of boots alone that were over before we heard of them, and not believed further than that.
            let ended = gateways[id]?.presentBegan(now: now.instant) ?? now.instant
            for event in gateways[id]?.events.takeReady(at: now.instant) ?? [] {
                let stamp = event.stamp
                let onItsClock = gateways[id]?.instant(of: stamp, now: now.instant)
                let onTheWall = stamp.isClockSynchronised ? min(ended, now.instant - (now.wall - stamp.at)) : nil
                // When nobody knows, it was there as long as it can have been: what nobody saw leave did not leave meanwhile.
                let atMost = latest ?? (event.transition == .enter ? .zero : ended)
                let at = max(onItsClock ?? onTheWall ?? atMost, latest ?? .zero)
                latest = at
                past.append((event, id, at))
            }
        }
        // Stable, so that what happened at one instant stays in its gateway's order.
        let order = past.indices.sorted { (past[$0].at, $0) < (past[$1].at, $1) }
        return order.map { (past[$0].event, past[$0].gateway, past[$0].at) }
    }
}
