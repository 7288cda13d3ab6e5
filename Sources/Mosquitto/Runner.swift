import Beacons
import Glibc
import Linux

/// The work of the connection's thread: attempts with waits between them, until `stop`.
final class Runner: Sendable {
    /// The options of each of the broker's addresses, in the order in which they are tried.
    private let attempts: [BrokerOptions]
    private let timing: Timing
    let exchange: Exchange
    /// Signalled when the thread has finished with libmosquitto.
    let ended: Wakeup

    init(_ options: BrokerOptions, timing: Timing) throws(SystemError) {
        attempts = options.attempts
        self.timing = timing
        exchange = try Exchange()
        ended = try Wakeup()
    }

    func run() {
        var backoff = Backoff(seed: timing.seed ?? .random(in: .min ... .max), addresses: attempts.count)
        // One fault for each address: two addresses that fail for different reasons are reported once each.
        var reported = [BrokerFault?](repeating: nil, count: attempts.count)
        var rounds = AddressRounds(count: attempts.count)
        var suspicion = Suspicion(endings: timing.suspiciousEndings)
        var heldBack = HeldBack()
        while waitForOwner() {
            let place = rounds.place
            let options = attempts[place]
            var (fault, lasted) = attempt(options, &heldBack)
            var ending = Backoff.Ending.failed
            if let lasted {
                backoff.reached()
                ending = fault.kind == .takenOver ? .takenOver(lasted: lasted) : .lost(lasted: lasted)
                if suspicion.isRaised(by: fault, after: lasted) {
                    fault = .perhapsTakenOver(options)
                    ending = .perhapsTakenOver
                }
                exchange.disconnected(fault)
                reported = reported.map { _ in nil }
                if options.connectsOnce { break }
            } else {
                suspicion.isAllayed()
                if fault != reported[place] && fault.kind != .stopped { exchange.report(.failing(fault)) }
                reported[place] = fault
            }
            // Each attempt waits for the response: a server of NATS that elects a leader completes a CONNECT that was given up, and then publishes
            // the will of a client that is online elsewhere.
            if rounds.isNextAtOnce(after: fault, lasted: lasted) {
                pause(backoff.proof())
                continue
            }
            let wait = backoff.wait(after: ending)
            pause(suspicion.requiresProof && ending != .perhapsTakenOver ? backoff.proof() : wait)
        }
        ended.ring()
    }

    /// Makes one attempt. Returns why it ended and how long the connection lasted; `nil` if there was none.
    private func attempt(_ options: BrokerOptions, _ heldBack: inout HeldBack) -> (BrokerFault, lasted: Interval?) {
        // OpenSSL and libmosquitto read the files, but do not report what is wrong with them.
        if let problem = options.fileProblems().first { return (.file(problem), nil) }
        do throws(BrokerFault) {
            let session = try Session(options, exchange: exchange, timing: timing, heldBack: heldBack)
            let fault = session.run()
            heldBack = session.heldBack
            if let openedAt = session.openedAt { return (fault, Clock.now - openedAt) }
            if fault.kind == .unreachable && !session.isOnIPv4 {
                return try attemptOnIPv4(options, after: fault, &heldBack)
            }
            return (fault, nil)
        } catch {
            return (error, nil)
        }
    }

    /// libmosquitto tries only the first address of a name, unless it may block on the network for minutes. A broker
    /// that has only an IPv4 socket, under a name with both addresses such as `localhost`, is found by excluding IPv6.
    private func attemptOnIPv4(
        _ options: BrokerOptions, after fault: BrokerFault, _ heldBack: inout HeldBack
    ) throws(BrokerFault) -> (BrokerFault, lasted: Interval?) {
        let session = try Session(options, exchange: exchange, timing: timing, heldBack: heldBack)
        let other = session.run(from: "0.0.0.0")
        heldBack = session.heldBack
        if let openedAt = session.openedAt { return (other, Clock.now - openedAt) }
        return (session.hasNoAddress ? fault : other, nil)
    }

    /// Returns `false` at the end. The thread does not connect while the owner takes no notices, because each
    /// connection would add new ones.
    private func waitForOwner() -> Bool {
        while exchange.stopBy == nil {
            if exchange.ownerKeepsUp() { return true }
            _ = wait(for: [exchange.forConnection.number], until: nil)
            exchange.forConnection.acknowledge()
        }
        return false
    }

    private func pause(_ span: Interval) {
        let deadline = Clock.now + span
        while exchange.stopBy == nil && Clock.now < deadline {
            _ = wait(for: [exchange.forConnection.number], until: deadline)
            exchange.forConnection.acknowledge()
        }
    }
}
