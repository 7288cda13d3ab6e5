import Beacons
import CMosquitto
import Glibc
import Linux
import Messages

/// One attempt and the connection that results from it, from name resolution to the last packet. A session belongs to
/// one thread.
///
/// libmosquitto reads, writes and counts; the session decides when. `run` polls the socket and the owner's wakeup until
/// there is a fault. libmosquitto's callbacks only record events.
final class Session {
    enum Phase {
        /// The network has not responded yet.
        case reaching(until: Instant)
        /// The broker has not responded yet to TLS or CONNECT.
        case handshaking(until: Instant)
        case open
        /// DISCONNECT is being sent.
        case parting(until: Instant)
    }

    let handle: Handle
    let options: BrokerOptions
    let exchange: Exchange
    let timing: Timing
    private var entries = [pollfd](repeating: pollfd(), count: 2)

    /// Why the session is over; `nil` while it runs.
    var fault: BrokerFault?
    var phase: Phase
    /// Whether the first address of the name is IPv4; `false` if the attempt failed at once, because then it is
    /// unknown.
    private(set) var isOnIPv4 = false
    /// Whether no address of the name is reachable from the local address.
    private(set) var hasNoAddress = false

    var greeting: Greeting?
    /// When the broker accepted the connection; the value stays after the end.
    var openedAt: Instant?
    var window = Window(receiveMaximum: nil)
    /// The publications for which a broker ended this or an earlier connection, and which are not sent.
    var heldBack: HeldBack
    /// The subscriptions without a response yet, by packet.
    var subscribing: [Int32: [Subscription]] = [:]
    /// The subscriptions that the broker refused on this connection.
    var refused: [Subscription] = []
    /// When the refused subscriptions are requested again.
    var resubscribesAt: Instant?
    /// How long the next refusal waits until its subscription is requested again.
    var resubscribeWait: Interval
    /// Whether the connection was refused at once, which happens on short paths and is reported to OpenSSL first.
    private var wasRefused = false
    var hasSubscribed = false
    /// The deadline of the farewell, as the owner requested it.
    var stopBy: Instant?
    var isReading = true
    /// The time since which acknowledgements could have been read.
    var readingSince: Instant
    private var nextTick: Instant
    /// When everything that had arrived was last read.
    private var caughtUpAt: Instant
    /// When a packet was last sent only to show that this client is there.
    private var shownAt: Instant
    var echo: Echo
    /// OpenSSL's error, which is only available through libmosquitto's log.
    var tlsReason: String?
    var tlsVerdict = Int(X509_V_OK)
    var isNameRefused = false

    /// Reads the password and creates a client. The caller has already checked the files.
    init(
        _ options: BrokerOptions, exchange: Exchange, timing: Timing, heldBack: HeldBack
    ) throws(BrokerFault) {
        let password: String?
        do throws(FileProblem) { password = try options.password() } catch { throw .file(error) }
        guard let handle = Handle(options, password: password) else { throw .unreachable(options, code: ENOMEM) }
        self.handle = handle
        self.options = options
        self.exchange = exchange
        self.timing = timing
        self.heldBack = heldBack
        let now = Clock.now
        phase = .reaching(until: now + timing.reach)
        readingSince = now
        nextTick = now + timing.tick
        (caughtUpAt, shownAt) = (now, now)
        resubscribeWait = timing.resubscribe
        echo = Echo(after: timing.echo)
        self.handle.setCallbacks(for: self)
    }

    /// Connects and runs until the session is over; returns the reason.
    func run(from bindAddress: String? = nil) -> BrokerFault {
        connect(from: bindAddress)
        while true {
            if let fault { return fault }
            step()
        }
    }

    private func connect(from bindAddress: String?) {
        errno = 0
        let code = handle.connect(options, from: bindAddress)
        let reason = errno
        wasRefused = reason == ECONNREFUSED
        hasNoAddress = bindAddress != nil && (reason == EINVAL || reason == EAFNOSUPPORT)
        // Name resolution may take long, so the time limit of the network starts here.
        phase = .reaching(until: Clock.now + timing.reach)
        switch code {
        case MOSQ_ERR_SUCCESS.rawValue, MOSQ_ERR_CONN_PENDING.rawValue:
            // libmosquitto does not set this flag, so programs started by this process would keep the connection open
            // beyond its end.
            _ = fcntl(handle.socket, F_SETFD, FD_CLOEXEC)
            isOnIPv4 = isSocketIPv4
        case MOSQ_ERR_EAI.rawValue: fault = .nameNotFound(options, code: reason)
        default: fail(code, reason)
        }
    }

    private var isSocketIPv4: Bool {
        withAddressBuffer { getsockname(handle.socket, $0, $1) == 0 && Int32($0.pointee.sa_family) == AF_INET }
    }

    private func withAddressBuffer(
        _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Bool
    ) -> Bool {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &address) {
            body($0.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length)
        }
    }

    // MARK: One round of the loop

    private func step() {
        entries[0] = pollfd(fd: exchange.forConnection.number, events: Int16(POLLIN), revents: 0)
        let interest = interest
        // Without events to wait for, the socket is excluded, because poll would report its end again and again.
        entries[1] = pollfd(fd: interest == 0 ? -1 : handle.socket, events: interest, revents: 0)
        poll(&entries, 2, milliseconds(until: nextDeadline))
        if entries[0].revents != 0 { exchange.forConnection.acknowledge() }
        if entries[1].revents != 0 { exchangeBytes(entries[1].revents) }
        // The owner's requests and the clock are handled last, so that data that has already arrived is read first.
        let now = Clock.now
        if fault == nil { attend(to: now) }
        if fault == nil { watch(now) }
    }

    private var interest: Int16 {
        if case .reaching = phase { return Int16(POLLOUT) }
        var events = isReading ? Int16(POLLIN) : 0
        if let tls = handle.tls, SSL_is_init_finished(tls) == 0 {
            // During the handshake only OpenSSL knows the direction; libmosquitto would write for as long as a packet
            // waits.
            if SSL_want(tls) == SSL_WRITING { events |= Int16(POLLOUT) }
        } else if handle.wantsToWrite {
            events |= Int16(POLLOUT)
        }
        return events
    }

    private func exchangeBytes(_ ready: Int16) {
        switch phase {
        case .reaching: arrive()
        case .handshaking: negotiate(ready)
        case .open, .parting:
            if isReading && ready & ~Int16(POLLOUT) != 0 { check(handle.read(), errno) }
            if fault == nil && handle.wantsToWrite { check(handle.write(), errno) }
        }
    }

    /// Handles the result of connecting.
    private func arrive() {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(handle.socket, SOL_SOCKET, SO_ERROR, &code, &size)
        // The kernel reports the reason once, and OpenSSL may have read it before.
        if code == 0 && wasRefused && !hasPeer { code = ECONNREFUSED }
        guard code == 0 else {
            // A reset comes from a server that exists: OpenSSL has already sent its hello, and the server rejected it.
            fault = code == ECONNRESET ? .closedUnanswered(options) : .unreachable(options, code: code)
            return
        }
        phase = .handshaking(until: Clock.now + timing.response)
        negotiate(Int16(POLLOUT))
    }

    private var hasPeer: Bool {
        withAddressBuffer { getpeername(handle.socket, $0, $1) == 0 }
    }

    /// Drives TLS and CONNECT. Either of libmosquitto's calls may drive the handshake (2.0.11 does so when reading), so
    /// both are made.
    private func negotiate(_ ready: Int16) {
        check(handle.read(), errno)
        if fault == nil && handle.wantsToWrite { check(handle.write(), errno) }
        // libmosquitto 2.0.11 ignores the end of a connection during the handshake and would continue forever.
        if fault == nil, case .handshaking = phase, ready & ~Int16(POLLOUT) != 0 {
            var byte: UInt8 = 0
            let count = recv(handle.socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
            if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { fault = .closedUnanswered(options) }
        }
    }

    // MARK: The clock

    private var nextDeadline: Instant {
        switch phase {
        case .reaching(let deadline), .handshaking(let deadline), .parting(let deadline): return deadline
        case .open:
            var deadline = nextTick
            if isReading, let due = acknowledgementDue { deadline = min(deadline, due) }
            if let stopBy { deadline = min(deadline, stopBy) }
            if let resubscribesAt { deadline = min(deadline, resubscribesAt) }
            return deadline
        }
    }

    private var acknowledgementDue: Instant? {
        window.oldest.map { max($0, readingSince) + timing.acknowledge }
    }

    private func watch(_ now: Instant) {
        switch phase {
        case .reaching(let deadline):
            if now >= deadline { fault = .unreachable(options, code: ETIMEDOUT) }
        case .handshaking(let deadline):
            if now >= deadline { fault = .unanswered(options) }
        case .parting(let deadline):
            if now >= deadline { fault = .stopped }
        case .open:
            if let stopBy, now >= stopBy {
                // The farewell is not acknowledged. Without a DISCONNECT, the broker publishes the will, which has the
                // same meaning.
                fault = .stopped
            } else if isReading, let due = acknowledgementDue, now >= due {
                fault = .unacknowledged(options)
            } else if now >= nextTick {
                nextTick = now + timing.tick
                keepAlive(now)
            }
        }
    }

    /// Checks that the broker is there, and shows the broker that this client is.
    ///
    /// libmosquitto ends a connection if a PINGRESP is not read within the keepalive. A PINGRESP may wait behind all that the
    /// owner has not taken yet. What arrives shows that the broker is there, so meanwhile no PINGREQ is sent, but another small packet.
    private func keepAlive(_ now: Instant) {
        if isReading && !handle.hasUnread {
            caughtUpAt = now
            check(handle.keepAlive(), errno)
            if fault == nil, let message = options.echo { listen(for: message, at: now) }
        } else if now - max(caughtUpAt, shownAt) >= .seconds(Double(options.keepAliveSeconds) / 3) {
            shownAt = now
            check(handle.showLife(), errno)
        }
    }

    private func listen(for message: OutgoingMessage, at now: Instant) {
        switch echo.step(at: now) {
        case .send:
            var packet: Int32 = 0
            check(handle.publish(message, as: options.version, packet: &packet), errno)
        case .reconnect: fault = .deaf(options)
        case nil: break
        }
    }

    // MARK: Faults

    /// Evaluates the result of a call to libmosquitto, and whether the connection still exists.
    func check(_ code: Int32, _ reason: Int32) {
        guard fault == nil, code != MOSQ_ERR_SUCCESS.rawValue || handle.socket < 0 else { return }
        fail(code, reason)
    }

    func isBroken(_ code: Int32) -> Bool {
        let broken = [MOSQ_ERR_NO_CONN, MOSQ_ERR_CONN_LOST, MOSQ_ERR_ERRNO, MOSQ_ERR_TLS]
        return broken.contains { $0.rawValue == code }
    }

    func fail(_ code: Int32, _ reason: Int32) {
        guard fault == nil else { return }
        switch phase {
        case .parting: fault = .stopped
        case .open: fault = openFault(code, reason)
        case .reaching, .handshaking: fault = earlyFault(code, reason)
        }
    }

    private func earlyFault(_ code: Int32, _ reason: Int32) -> BrokerFault {
        if let greeting, greeting.code != 0 { return .notLetIn(options, code: greeting.code) }
        if isNameRefused { return .certificateOfAnother(options) }
        if tlsVerdict != Int(X509_V_OK) { return .certificate(options, verdict: tlsVerdict) }
        if let tlsReason, !isSudden(tlsReason) { return .tls(options, reason: tlsReason) }
        if case .reaching = phase {
            let isKnown = code == MOSQ_ERR_ERRNO.rawValue || reason == ECONNREFUSED
            return isKnown && reason != 0 && reason != EPROTO
                ? .unreachable(options, code: reason) : .goneAtOnce(options)
        }
        return isHangup(code) ? .closedUnanswered(options) : .notMQTT(options)
    }

    private func openFault(_ code: Int32, _ reason: Int32) -> BrokerFault {
        if let tlsReason {
            return isAlert(tlsReason) ? .tls(options, reason: tlsReason) : .lost(options, reason: tlsReason)
        }
        if code == MOSQ_ERR_KEEPALIVE.rawValue {
            return .lost(options, reason: "no response for \(options.keepAliveSeconds) s")
        }
        guard isHangup(code) else {
            return .lost(options, reason: "the broker sent invalid MQTT \(options.version.rawValue)")
        }
        let isReset = code == MOSQ_ERR_CONN_LOST.rawValue ? reason == ECONNRESET : code != MOSQ_ERR_SUCCESS.rawValue
        guard isReset else { return .closed(options) }
        // With TLS, `errno` is left over from OpenSSL's shutdown.
        let isKnown = options.caFile == nil && reason != 0
        return .lost(options, reason: isKnown ? String(cString: strerror(reason)) : "connection closed")
    }

    /// Whether the code means a closed connection or a network error, as opposed to an invalid packet.
    private func isHangup(_ code: Int32) -> Bool {
        isBroken(code) || code == MOSQ_ERR_SUCCESS.rawValue
    }

    private func isAlert(_ reason: String) -> Bool { reason.contains("alert") }
    private func isSudden(_ reason: String) -> Bool { reason.contains("unexpected eof") }
}

// The result is rounded up. The deadline has so passed when the sleep ends, and no round spins through the last
// millisecond.
private func milliseconds(until deadline: Instant) -> Int32 {
    let rest = max(0, (deadline - Clock.now).nanoseconds)
    return Int32(min((rest + 999_999) / 1_000_000, Int64(Int32.max)))
}
