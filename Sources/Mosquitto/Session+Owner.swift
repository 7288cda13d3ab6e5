import Beacons
import CMosquitto
import Glibc
import Messages

/// The owner's requests to an open session: subscriptions, publications, and the end.
extension Session {
    func attend(to now: Instant) {
        let requests = exchange.requests
        stopBy = requests.stopBy
        switch phase {
        case .reaching, .handshaking:
            if stopBy != nil { fault = .stopped }
        case .open:
            subscribeIfDue(now)
            if requests.hasRecalls { recall() }
            if requests.waiting > 0 { send(isBurst: requests.waiting > 1, at: now) }
            readOrWait(now)
            // This runs after sending, because the farewell arrives together with the request to stop, and must be
            // sent before disconnecting.
            if let stopBy, fault == nil { part(by: stopBy) }
        case .parting:
            break
        }
    }

    /// Requests all subscriptions on a new connection, and later those that the broker refused.
    private func subscribeIfDue(_ now: Instant) {
        if !hasSubscribed {
            hasSubscribed = true
            guard let last = options.catchUpFilter else { return subscribe(toEach: options.subscriptions) }
            subscribe(toAll: options.subscriptions.map { Subscription($0.filter, .atMostOnce) })
            subscribe(toAll: [Subscription(last, .atMostOnce)])
        } else if let due = resubscribesAt, now >= due {
            resubscribesAt = nil
            resubscribeWait = min(resubscribeWait * 2, timing.longestResubscribe)
            subscribe(toEach: refused)
        }
    }

    /// Requests subscriptions in a packet each.
    private func subscribe(toEach subscriptions: [Subscription]) {
        for subscription in subscriptions { subscribe(toAll: [subscription]) }
    }

    /// Requests subscriptions of one QoS in one packet.
    private func subscribe(toAll subscriptions: [Subscription]) {
        guard fault == nil, let qos = subscriptions.first?.qos else { return }
        var packet: Int32 = 0
        let code = handle.subscribe(toAll: subscriptions.map(\.filter), qos: qos, packet: &packet)
        if code == MOSQ_ERR_SUCCESS.rawValue {
            subscribing[packet] = subscriptions
        } else if isBroken(code) {
            fail(code, errno)
        } else {
            for subscription in subscriptions {
                refuse(subscription, .unsubscribed(filter: subscription.filter, code: code))
            }
        }
    }

    /// Changes subscriptions as the owner requested. The broker's responses are ignored, because only the messages
    /// matter.
    private func recall() {
        for recall in exchange.takeRecalls() where fault == nil {
            let code =
                switch recall {
                case .subscribe(let topics): handle.subscribe(toAll: topics, qos: options.subscriptionQoS)
                case .unsubscribe(let topics): handle.unsubscribe(fromAll: topics)
                }
            if isBroken(code) { fail(code, errno) }
        }
    }

    /// Passes waiting publications to libmosquitto as long as the socket accepts data, so that libmosquitto's own
    /// queues stay empty.
    ///
    /// libmosquitto writes each packet with a call of its own. In a burst the kernel collects the packets, because a
    /// segment for each of them, and a wakeup of the broker, cost several times as much as the rest of a publication.
    private func send(isBurst: Bool, at now: Instant) {
        if isBurst { handle.hold(true) }
        defer { if isBurst { handle.hold(false) } }
        while fault == nil, !handle.wantsToWrite, let next = exchange.next(mayBeAcknowledged: window.hasRoom) {
            send(next.publication, as: next.id, at: now)
        }
    }

    private func send(_ publication: OutgoingMessage, as id: PublicationID, at now: Instant) {
        guard publication.isTopicValid else {
            let refusal = BrokerRejection.unsent(topic: publication.topic, code: MOSQ_ERR_INVAL.rawValue)
            exchange.report(.refused(id, refusal))
            return
        }
        guard !publication.retain || greeting?.retains != false else {
            exchange.report(.refused(id, .unretained(options, topic: publication.topic)))
            return
        }
        guard !heldBack.refuses(publication, at: now) else {
            let code = Int32(MQTT_RC_PACKET_TOO_LARGE.rawValue)
            exchange.report(.refused(id, .publication(options, topic: publication.topic, code: code)))
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
            exchange.report(.refused(id, .unsent(topic: publication.topic, code: code)))
        }
    }

    /// Stops reading while the owner's queue is full; the broker stores further messages.
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
