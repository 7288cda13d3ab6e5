import Beacons
import Channels
import Glibc
import Linux
import SiteCore

/// Carries out the deliveries of messages to persons, each with a program: curl, Apprise, or the user's own.
struct DeliveryRunner: Sendable {
    /// How long a delivery may take. curl ends by itself before.
    private static let longest = Interval.seconds(15)

    private var running = RunningPrograms<(delivery: Delivery, output: MemoryFile)>()
    /// Deliveries that failed before a program ran.
    private var failed: [(Delivery, DeliveryOutcome)] = []
    private var random = SystemRandomNumberGenerator()

    /// When to call `advance` again, if no program ends before.
    var nextDeadline: Instant? { failed.isEmpty ? running.nextDeadline : .zero }

    mutating func start(_ delivery: Delivery, at now: Instant) {
        do throws(Failure) {
            let program = try delivery.program(
                path: { credential(standingFor: $0) }, secret: readSecret, at: Clock.wall, using: &random)
            guard let program else {
                throw Failure(.configuration, "\(PushSubscriptions.keyFile) in the state folder holds no key")
            }
            do throws(SystemError) {
                let output = try MemoryFile(for: "the output of \(program.words[0])")
                try running.start(
                    program.words, input: program.input, attachment: program.attachment, output: output,
                    for: (delivery, output), until: now + Self.longest)
            } catch {
                throw Failure(
                    .unavailable, error.code == ENOENT ? "\(program.words[0]) is not installed" : "\(error)")
            }
        } catch {
            failed.append((delivery, .refused("\(error)")))
        }
    }

    /// The outcomes of the deliveries that ended since the last call.
    mutating func advance(to now: Instant) -> [(Delivery, DeliveryOutcome)] {
        defer { failed = [] }
        return failed
            + running.advance(to: now).map { ended in
                let (delivery, output) = ended.purpose
                let outcome =
                    switch ended.ending {
                    case _ where ended.isTooLate:
                        DeliveryOutcome.uncertain("longer than \(Int(Self.longest.seconds)) s")
                    case .exited(let status):
                        DeliveryOutcome(of: delivery, status: status, output: output.contents(limit: 64))
                    case .killed(let signal): DeliveryOutcome.uncertain("ended by signal \(signal)")
                    }
                return (delivery, outcome)
            }
    }

    /// Sends SIGTERM to the programs that run. What they deliver is delivered again after the next start.
    func stop() { running.stop() }
}

/// The one line of a file with a secret.
func readSecret(at file: String) throws(Failure) -> String {
    let lines = try readSecrets(at: file).split(whereSeparator: \.isNewline)
    guard lines.count == 1 else { throw Failure(.configuration, "\(file) does not hold one line with a secret") }
    return String(lines[0])
}

/// The secret that the aggregators of a pair share; `nil`: they share none.
package func sharedSecret(_ settings: StandbySettings?) throws(Failure) -> [UInt8]? {
    guard let file = settings?.secretFile else { return nil }
    let secret = Array(try readSecret(at: file).utf8)
    guard secret.count >= 32 else { throw Failure(.configuration, "\(file) needs at least 32 characters") }
    return secret
}

/// Checks the files with secrets that the channel reads; throws what is wrong with the first.
package func checkSecret(at file: String, of channel: ChannelSettings) throws(Failure) {
    if case .apprise = channel.kind { _ = try readSecrets(at: file) } else { _ = try readSecret(at: file) }
}
