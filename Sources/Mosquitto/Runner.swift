import Beacons
import Glibc
import Linux

/// What the connection's thread does: attempt after attempt, with waits between them, until it is asked to stop.
final class Runner: Sendable {
    private let options: BrokerOptions
    private let timing: Timing
    let exchange: Exchange
    /// Rung when the thread is done with libmosquitto.
    let ended: Wakeup

    init(_ options: BrokerOptions, timing: Timing) throws(SystemError) {
        self.options = options
        self.timing = timing
        exchange = try Exchange()
        ended = try Wakeup()
    }

    func run() {
        var backoff = Backoff(seed: timing.seed ?? .random(in: .min ... .max))
        var told: BrokerFault?
        var suspicion = Suspicion(endings: timing.suspiciousEndings)
        var heldBack = HeldBack()
        while waitForOwner() {
            var (fault, lasted) = attempt(&heldBack)
            var ending = Backoff.Ending.failed
            if let lasted {
                backoff.reached()
                ending = fault.kind == .takenOver ? .takenOver(lasted: lasted) : .lost(lasted: lasted)
                if suspicion.isRaised(by: fault, after: lasted) {
                    fault = .perhapsTakenOver(options)
                    ending = .perhapsTakenOver
                }
                exchange.disconnected(fault)
                told = nil
            } else {
                suspicion.isAllayed()
                if fault != told && fault.kind != .stopped { exchange.tell(.failing(fault)) }
                told = fault
            }
            let wait = backoff.wait(after: ending)
            pause(suspicion.wantsProof && ending != .perhapsTakenOver ? backoff.proof() : wait)
        }
        ended.ring()
    }

    /// Connects and converses, and tells why it is over and how long it had been a connection, if ever.
    private func attempt(_ heldBack: inout HeldBack) -> (BrokerFault, lasted: Interval?) {
        // What stands in the files is OpenSSL's and libmosquitto's to read; they would only not say what is wrong with it.
        if let problem = options.fileProblems().first { return (.file(problem), nil) }
        do throws(BrokerFault) {
            let session = try Session(options, exchange: exchange, timing: timing, heldBack: heldBack)
            let fault = session.run()
            heldBack = session.heldBack
            if let openedAt = session.openedAt { return (fault, Clock.now - openedAt) }
            if fault.kind == .unreachable && !session.isOnIPv4 { return try attemptOnIPv4(after: fault, &heldBack) }
            return (fault, nil)
        } catch {
            return (error, nil)
        }
    }

    /// libmosquitto tries the first of a name's addresses only, unless it may wait for the network for minutes. A broker that
    /// listens on IPv4 alone, under a name that has both (`localhost` is one), is found by leaving IPv6 out.
    private func attemptOnIPv4(
        after fault: BrokerFault, _ heldBack: inout HeldBack
    ) throws(BrokerFault) -> (BrokerFault, lasted: Interval?) {
        let session = try Session(options, exchange: exchange, timing: timing, heldBack: heldBack)
        let other = session.run(from: "0.0.0.0")
        heldBack = session.heldBack
        if let openedAt = session.openedAt { return (other, Clock.now - openedAt) }
        return (session.hasNoAddress ? fault : other, nil)
    }

    /// False when it is time to end. An owner that takes no notices gets no connection either: each would bring new ones.
    private func waitForOwner() -> Bool {
        while exchange.stopBy == nil {
            if exchange.ownerKeepsUp() { return true }
            _ = wait(for: [exchange.forConnection.number], until: nil)
            exchange.forConnection.answer()
        }
        return false
    }

    private func pause(_ span: Interval) {
        let deadline = Clock.now + span
        while exchange.stopBy == nil && Clock.now < deadline {
            _ = wait(for: [exchange.forConnection.number], until: deadline)
            exchange.forConnection.answer()
        }
    }
}

/// Starts a thread that runs `runner`, keeps it alive, and takes no signals.
func startThread(_ runner: Runner) throws(SystemError) -> pthread_t {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    // The deepest are the name's search and TLS; a thread's usual 8 MB would count against a small board's limits.
    pthread_attr_setstacksize(&attributes, 512 << 10)
    var thread = pthread_t()
    let object = Unmanaged.passRetained(runner)
    let code = pthread_create(&thread, &attributes, threadBody, object.toOpaque())
    guard code == 0 else {
        object.release()
        throw SystemError("start the thread of the broker's connection", code: code)
    }
    return thread
}

private let threadBody: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { object in
    // The service's signals are the service's. And SIGPIPE is nobody's: OpenSSL, and libmosquitto before 2.0.15, write to
    // sockets that may be closed in the way that raises it; blocked, the call just fails.
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, nil)
    nameThread("mqtt")
    Unmanaged<Runner>.fromOpaque(object!).takeRetainedValue().run()
    return nil
}

// For `top -H` and a debugger. (Glibc's own call for it is not imported.)
private func nameThread(_ name: String) {
    let number = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard number >= 0 else { return }
    let file = FileDescriptor(owning: number)
    _ = write(file.number, name, name.utf8.count)
}
