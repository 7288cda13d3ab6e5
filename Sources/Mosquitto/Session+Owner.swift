import Beacons
import CMosquitto
import Glibc

/// What the owner wants of an open session: subscriptions, publications, silence, an end.
extension Session {
    func attend(to now: Instant) {
        switch phase {
        case .reaching, .answering:
            if exchange.stopBy != nil { fault = .stopped }
        case .open:
            subscribeIfNew()
            recall()
            send(at: now)
            readOrWait(now)
            // Asked after sending: the farewell came with the wish, and parting before it is out would silence both.
            if let stopBy = exchange.stopBy, fault == nil { part(by: stopBy) }
        case .parting:
            break
        }
    }

    private func subscribeIfNew() {
        guard !hasSubscribed else { return }
        hasSubscribed = true
        for subscription in options.subscriptions where fault == nil {
            var packet: Int32 = 0
            let code = handle.subscribe(subscription, as: options.version, packet: &packet)
            if code == MOSQ_ERR_SUCCESS.rawValue {
                subscribing[packet] = subscription
            } else if isBroken(code) {
                fail(code, errno)
            } else {
                exchange.tell(
                    .subscriptionRefused(
                        filter: subscription.filter, .unsubscribed(filter: subscription.filter, code: code)))
            }
        }
    }

    /// Changes subscriptions as the owner asked; the broker's answers are of no interest, as only the messages count.
    private func recall() {
        for recall in exchange.takeRecalls() where fault == nil {
            let code =
                switch recall {
                case .subscribe(let topics): handle.subscribe(toAll: topics)
                case .unsubscribe(let topics): handle.unsubscribe(fromAll: topics)
                }
            if isBroken(code) { fail(code, errno) }
        }
    }

    /// Hands libmosquitto what waits, as long as the socket takes it: its own queues stay empty.
    private func send(at now: Instant) {
        while fault == nil, !handle.wantsToWrite, let next = exchange.next(mayBeAcknowledged: window.hasRoom) {
            send(next.publication, as: next.id, at: now)
        }
    }

    private func send(_ publication: Publication, as id: PublicationID, at now: Instant) {
        guard publication.isTopicValid else {
            let refusal = BrokerRefusal.unsent(topic: publication.topic, code: MOSQ_ERR_INVAL.rawValue)
            exchange.tell(.refused(id, refusal))
            return
        }
        guard !publication.retain || greeting?.retains != false else {
            exchange.tell(.refused(id, .unretained(options, topic: publication.topic)))
            return
        }
        guard !heldBack.refuses(publication, at: now) else {
            let code = Int32(MQTT_RC_PACKET_TOO_LARGE.rawValue)
            exchange.tell(.refused(id, .publication(options, topic: publication.topic, code: code)))
            return
        }
        var packet: Int32 = 0
        let code = handle.publish(publication, as: options.version, packet: &packet)
        if code == MOSQ_ERR_SUCCESS.rawValue {
            guard publication.qos == .atLeastOnce else { return window.sentUnanswerable(publication) }
            window.sent(Window.Entry(packet: packet, id: id, publication: publication, sentAt: now))
        } else if isBroken(code) {
            fail(code, errno)
        } else {
            exchange.tell(.refused(id, .unsent(topic: publication.topic, code: code)))
        }
    }

    /// Stops reading while the owner has more to do than it may have waiting: the broker keeps the rest.
    private func readOrWait(_ now: Instant) {
        let mayRead = exchange.ownerKeepsUp()
        if mayRead && !isReading { readingSince = now }
        isReading = mayRead
    }

    private func part(by deadline: Instant) {
        guard window.isEmpty, exchange.waiting == 0, !handle.wantsToWrite else { return }
        phase = .parting(until: deadline)
        isReading = true
        let code = handle.disconnect()
        if code != MOSQ_ERR_SUCCESS.rawValue || handle.socket < 0 { fault = .stopped }
    }
}
