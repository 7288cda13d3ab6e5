import Beacons
import CMosquitto
import Glibc
import Linux

/// One attempt, and the connection that comes of it, from the search for the name to the last packet. It belongs to one thread.
///
/// libmosquitto reads, writes and counts; when is decided here. `run` polls the socket and the owner's bell until there is a
/// fault, and libmosquitto's callbacks do no more than note what came.
final class Session {
    enum Phase {
        /// The network has not answered.
        case reaching(until: Instant)
        /// The broker has not: TLS, then CONNECT and its answer.
        case answering(until: Instant)
        case open
        /// DISCONNECT is on its way.
        case parting(until: Instant)
    }

    let handle: Handle
    let options: BrokerOptions
    let exchange: Exchange
    private let timing: Timing
    private var entries = [pollfd](repeating: pollfd(), count: 2)

    /// Why it is over; `nil` while it is not.
    var fault: BrokerFault?
    var phase: Phase
    /// The name led to an IPv4 address first. Where the attempt failed at once that is not known, and not so.
    private(set) var isOnIPv4 = false
    /// None of the name's addresses can be reached from where the attempt was to begin.
    private(set) var hasNoAddress = false

    /// The broker's answer to our CONNECT.
    var greeting: Greeting?
    /// When it let us in; stays when it is over.
    var openedAt: Instant?
    var window = Window(receiveMaximum: nil)
    /// What is not sent, as the broker ended a connection for it: of this one and of those before.
    var heldBack: HeldBack
    /// Subscriptions that the broker has not answered, by packet.
    var subscribing: [Int32: Subscription] = [:]
    /// Nobody listens, as was known at once: on a short way, and to OpenSSL first.
    private var wasRefused = false
    var hasSubscribed = false
    var isReading = true
    /// Since when an acknowledgement could have been read.
    var readingSince: Instant
    private var nextTick: Instant
    /// What OpenSSL said, through libmosquitto's log: nothing else tells.
    var tlsReason: String?
    var tlsVerdict = Int(X509_V_OK)
    var isNameRefused = false

    /// Reads the password, and makes a client ready. The files have been looked at.
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
        self.handle.setCallbacks(for: self)
    }

    /// Connects and converses until it is over, and says why.
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
        // The search for the name may have taken long; the network's time begins now.
        phase = .reaching(until: Clock.now + timing.reach)
        switch code {
        case MOSQ_ERR_SUCCESS.rawValue, MOSQ_ERR_CONN_PENDING.rawValue:
            // libmosquitto leaves it open for whatever this process may start, which would hold it beyond our end.
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

    // MARK: one round of the loop

    private func step() {
        entries[0] = pollfd(fd: exchange.forConnection.number, events: Int16(POLLIN), revents: 0)
        let interest = interest
        // Without interest the socket stays out: poll would report its hanging up again and again.
        entries[1] = pollfd(fd: interest == 0 ? -1 : handle.socket, events: interest, revents: 0)
        poll(&entries, 2, milliseconds(until: nextDeadline))
        if entries[0].revents != 0 { exchange.forConnection.answer() }
        if entries[1].revents != 0 { exchangeBytes(entries[1].revents) }
        // The owner's wishes and the clock come last: what had already arrived counts.
        let now = Clock.now
        if fault == nil { attend(to: now) }
        if fault == nil { watch(now) }
    }

    private var interest: Int16 {
        if case .reaching = phase { return Int16(POLLOUT) }
        var events = isReading ? Int16(POLLIN) : 0
        if let tls = handle.tls, SSL_is_init_finished(tls) == 0 {
            // During the handshake only OpenSSL knows; libmosquitto would have us write for as long as a packet waits.
            if SSL_want(tls) == SSL_WRITING { events |= Int16(POLLOUT) }
        } else if handle.wantsToWrite {
            events |= Int16(POLLOUT)
        }
        return events
    }

    private func exchangeBytes(_ ready: Int16) {
        switch phase {
        case .reaching: arrive()
        case .answering: negotiate(ready)
        case .open, .parting:
            if isReading && ready & ~Int16(POLLOUT) != 0 { check(handle.read(), errno) }
            if fault == nil && handle.wantsToWrite { check(handle.write(), errno) }
        }
    }

    /// The network has answered, one way or the other.
    private func arrive() {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(handle.socket, SOL_SOCKET, SO_ERROR, &code, &size)
        // The kernel tells the reason once, and OpenSSL may have asked before.
        if code == 0 && wasRefused && !hasPeer { code = ECONNREFUSED }
        guard code == 0 else {
            // A reset comes from who was there: OpenSSL has said hello already, and that was not welcome.
            fault = code == ECONNRESET ? .closedUnanswered(options) : .unreachable(options, code: code)
            return
        }
        phase = .answering(until: Clock.now + timing.answer)
        negotiate(Int16(POLLOUT))
    }

    private var hasPeer: Bool {
        withAddressBuffer { getpeername(handle.socket, $0, $1) == 0 }
    }

    /// TLS and CONNECT. Either of libmosquitto's calls may drive the handshake (2.0.11 does it in reading), so both are made.
    private func negotiate(_ ready: Int16) {
        check(handle.read(), errno)
        if fault == nil && handle.wantsToWrite { check(handle.write(), errno) }
        // libmosquitto 2.0.11 takes an end in the midst of the handshake for a reason to go on, and would for ever.
        if fault == nil, case .answering = phase, ready & ~Int16(POLLOUT) != 0 {
            var byte: UInt8 = 0
            let count = recv(handle.socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
            if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { fault = .closedUnanswered(options) }
        }
    }

    // MARK: the clock

    private var nextDeadline: Instant {
        switch phase {
        case .reaching(let deadline), .answering(let deadline), .parting(let deadline): return deadline
        case .open:
            var deadline = nextTick
            if isReading, let due = acknowledgementDue { deadline = min(deadline, due) }
            if let stopBy = exchange.stopBy { deadline = min(deadline, stopBy) }
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
        case .answering(let deadline):
            if now >= deadline { fault = .unanswered(options) }
        case .parting(let deadline):
            if now >= deadline { fault = .stopped }
        case .open:
            if let stopBy = exchange.stopBy, now >= stopBy {
                // The farewell is not acknowledged. Without a DISCONNECT the broker publishes the will, which says it as well.
                fault = .stopped
            } else if isReading, let due = acknowledgementDue, now >= due {
                fault = .unacknowledged(options)
            } else if now >= nextTick {
                nextTick = now + timing.tick
                check(handle.keepAlive(), errno)
            }
        }
    }
}

// Rounded up, so that the deadline has passed when the sleep ends and no round is spun through its last millisecond.
private func milliseconds(until deadline: Instant) -> Int32 {
    let rest = max(0, (deadline - Clock.now).nanoseconds)
    return Int32(min((rest + 999_999) / 1_000_000, Int64(Int32.max)))
}
