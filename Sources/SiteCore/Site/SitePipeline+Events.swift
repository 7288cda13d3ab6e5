import Beacons
import EventLogs
import Messages

/// The gateways' numbered events: each is applied once and in order, and missing ones are requested.
extension SitePipeline {
    /// Takes a published event of a beacon or of a region. Both have numbers of the same log.
    mutating func take(_ event: LoggedEvent, from gateway: String) {
        guard know(gateway), gateways[gateway]?.events.take(event, at: effects.now.instant) == true else { return }
        applyReady(of: gateway)
    }

    /// Applies the events of a gateway whose turn it is.
    mutating func applyReady(of gateway: String) {
        guard catchUp == nil else { return }
        for event in gateways[gateway]?.events.takeReady(at: effects.now.instant) ?? [] { apply(event, of: gateway) }
    }

    /// - Parameter instant: when the event happened, if that is known better than by the gateway's clock.
    private mutating func apply(_ event: LoggedEvent, of gateway: String, at instant: Instant? = nil) {
        // After a restart it has to be known which events were applied, even if nothing else changes.
        effects.unwritten.gateways.insert(gateway)
        effects.add(.storeSite)
        if case .region(let event) = event, !isNamed, regions.take(event), items.phase != .past {
            effects.add(.notify(event.bytes))
        }
        guard case .beacon(let event) = event, let id = registry.item(of: event.beacon), items.place(of: id) != nil
        else { return }
        if let newest = items[id]?.newest[gateway]?.id, gateways[gateway]?.events.isBefore(event.id, newest) == true {
            return
        }
        items[id]?.newest[gateway] = (event.id, event.stamp)
        gateways[gateway]?.note(item: id)
        effects.unwritten.states.insert(id)
        let at = gateways[gateway]?.instant(of: event.stamp, now: effects.now.instant)
        // The gateway's own clock dates the event where that clock is synchronised, and ours where not. Either may be wrong by years.
        let wall = event.stamp.isClockSynchronised ? event.stamp.at : at.map(effects.now.wall(at:)) ?? event.stamp.at
        switch event.transition {
        case .enter:
            // The first ranged state follows within a second or two and states how long it is valid.
            items[id]?.presenceByGateway.inside(at: gateway, until: effects.now.instant + Self.firstWord)
        case .exit:
            items[id]?.silent(gateway)
            items[id]?.presenceByGateway.exited(at: gateway, when: wall)
            if items[id]?.item.sleeps == true, let rssi = event.lastRSSI, let seen = event.lastSeenAt,
                let exited = instant ?? at
            {
                let lastSeen = exited - max(.zero, event.stamp.at - seen)
                items[id]?.sleep.exited(gateway, rssi: rssi, lastSeen: lastSeen)
            }
        }
        // Until more is known, the item is in the room of the gateway that received it first.
        let isEnter = event.transition == .enter
        if let happened = instant ?? at { items[id]?.goBack(to: happened) }
        let entering = isEnter ? (gateways.room(of: gateway) ?? event.room, wall) : nil
        items.judge(id, entering: entering, gateways, &effects)
        // Past events are published, but not the states of the past.
        if items.phase != .past { items.publishIfDue(id, &effects) }
        items.makeDue(id, at: effects.now.instant)
    }

    // MARK: After an absence

    /// Reads the events that former processes published after the site was last written: they are not published again.
    package mutating func restorePublishedEvents(read: (EventSpan, Catalogue) -> [Entry]?) {
        recall(items.events.publishedSinceWrite(hasGateways: gateways.count > 0, read))
    }

    /// Takes the events that former processes published after the site was last written, oldest first.
    mutating func recall(_ published: [ItemEvent]) {
        items.events.recall(published)
        for (id, room) in items.events.alreadyPublished.lastRooms where items[id]?.presence == .home {
            items[id]?.room = room
        }
    }

    /// Collects what happened during the absence, if there are gateways whose events were followed before.
    mutating func beginCatchingUp() {
        gateways.missedMessages()
        guard gateways.count > 0 else { return }
        // A gateway that was down before is not awaited. After a start, that is known of none.
        let awaited = gateways.all.filter { $0.isTakenAs.alive || $0.info == nil }
        catchUp = CatchUp(began: effects.now.instant, awaiting: awaited.map(\.id))
    }

    /// Once everything has arrived, applies the events of all gateways in the order in which they happened, then the present states.
    mutating func catchUpIfComplete() {
        guard let catchUp else { return }
        let incomplete = gateways.all.filter { $0.isAlive(at: effects.now.instant) && !$0.events.isComplete }
        guard
            catchUp.isOver(
                at: effects.now.instant, settled: effects.now.instant >= items.settlesAt,
                isComplete: incomplete.isEmpty,
                hasResponded: incomplete.contains(where: \.events.hasResponded))
                || gateways.all.contains(where: \.events.isFull)
        else { return }
        self.catchUp = nil
        // For a gateway whose events are incomplete, its last report counts: what it had inside has not left.
        let silent = Set(
            gateways.all.filter { !$0.isAlive(at: effects.now.instant) || !$0.events.isComplete }.map(\.id))
        for (id, words) in catchUp.words {
            for case (let gateway, let word?) in words where silent.contains(gateway) {
                items[id]?.presenceByGateway.inside(at: gateway, until: word.until)
            }
        }
        items.phase = .past
        items.publishFormerReturns(&effects)
        for (event, gateway, instant) in gateways.takePastEvents(at: effects.now) {
            apply(event, of: gateway, at: instant)
        }
        items.phase = .present
        items.events.pastIsApplied()
        for id in items.keys {
            let words = catchUp.words[id] ?? [:]
            for case (let gateway, let word?) in words where isOfThePresent(word, of: gateway, on: id) {
                items[id]?.presenceByGateway.inside(at: gateway, until: word.until)
            }
            items[id]?.presenceByGateway.expire(at: effects.now.instant)
            // A gateway that has restarted has not ranged the item yet: an item at home stays so for as long as an enter counts.
            let tookBack = words.filter { $0.value == nil }
            if items[id]?.presence == .home {
                items[id]?.presenceByGateway.believe(until: effects.now.instant + Self.firstWord) {
                    tookBack[$0] == nil
                }
            }
            items.judge(id, gateways, &effects)
            items.publishIfDue(id, &effects)
            items.makeDue(id, at: effects.now.instant)
        }
    }

    /// Whether a report that arrived while catching up still holds: it is of the gateway's present run, and no exit followed.
    private func isOfThePresent(_ word: CatchUp.Word, of gateway: String, on id: String) -> Bool {
        word.stamp.boot == gateways[gateway]?.info?.stamp.boot
            && items[id]?.isOvertaken(word.stamp, from: gateway) != true
    }
}
