import Beacons
import Glibc
import Linux
import TestBroker

/// Messages to a phone while the aggregator is killed, the push server is down, and clocks jump: each arrives once, and twice in a row.
struct MessageRun {
    private let site: MessageSite
    private var generator: SplitMix64
    private var faults: [String] = []
    private var expected = 0
    /// How often Anna has left.
    private var left = 0

    /// Does it with so many kills at random moments; returns whether each message arrived once.
    static func run(_ kills: Int, seed: UInt64, programs: String) throws -> Bool {
        print("chaos: messages, \(kills) kills, seed \(seed)")
        var run = MessageRun(site: try MessageSite(programs: programs), generator: SplitMix64(seed: seed))
        for _ in 0..<kills { try run.killed() }
        for _ in 0..<2 { try run.killedUnanswered() }
        for manner in [PushedMessages.Manner.down, .fails] { try run.outage(manner) }
        for manner in [PushedMessages.Manner.down, .fails] { try run.withdrawn(manner) }
        for hours in [-1, 30 * 365 * 24] { try run.clockJump(by: hours * 3600) }
        return try run.hasSucceeded()
    }

    // MARK: Trouble

    /// The aggregator is killed about when it decides, and again when the message is there.
    private mutating func killed() throws {
        let moment = Interval.milliseconds(.random(in: 0..<1500, using: &generator))
        try leave()
        try site.serve(for: moment)
        try site.kill()
        try expectMessage("a kill \(moment.seconds) s after the decision was due")
        try site.kill()
        try expectNothing("a kill after the message arrived")
        try comeBack()
    }

    /// The aggregator is killed twice while the server has the message and has not responded.
    private mutating func killedUnanswered() throws {
        site.push.manner = .hangs
        try leave()
        for _ in 0..<2 {
            let failures = site.push.failures
            try site.serve(for: MessageSite.patience) { site.push.failures > failures }
            try site.kill()
        }
        site.push.manner = .takes
        try expectMessage("two kills before the response")
        try comeBack()
    }

    /// The server is down for more than an hour, and the aggregator is killed in the middle.
    private mutating func outage(_ manner: PushedMessages.Manner) throws {
        site.push.manner = manner
        try decide()
        for minutes in stride(from: 0, to: 60, by: 5) {
            if minutes == 25 { try site.kill() }
            try site.pass(300)
        }
        site.push.manner = .takes
        try site.pass(300)
        try expectMessage("more than an hour without the server, which \(manner)")
        try comeBack()
    }

    /// The message is no longer true when the server is back.
    private mutating func withdrawn(_ manner: PushedMessages.Manner) throws {
        site.push.manner = manner
        try decide()
        try site.comeBack()
        site.push.manner = .takes
        try site.pass(300)
        try expectNothing("a withdrawal while the server \(manner)")
    }

    /// The aggregator's wall clock jumps before the message is delivered, and back behind it.
    private mutating func clockJump(by seconds: Int) throws {
        site.push.manner = .fails
        try decide()
        site.clockError = seconds
        site.push.manner = .takes
        try expectMessage("a jump of the clock by \(seconds) s")
        site.clockError = 0
        try expectNothing("a jump of the clock back by \(seconds) s")
        try comeBack()
    }

    private mutating func leave() throws {
        left += 1
        try site.leave()
    }

    // MARK: The verdict

    /// Anna leaves, and it is decided that she has forgotten something while the server does not take the message.
    private mutating func decide() throws {
        let former = site.decided
        try leave()
        try site.serve(for: MessageSite.patience) { site.decided > former }
        try site.serve(for: .seconds(1))
    }

    private mutating func expectMessage(_ what: String) throws {
        expected += 1
        try site.serve(for: MessageSite.patience) { site.push.messages.count >= expected }
        try expectNothing(what)
        if site.push.shown == nil { faults.append("\(what): the phone shows nothing") }
    }

    /// Nothing more arrives.
    private mutating func expectNothing(_ what: String) throws {
        try site.serve(for: .seconds(3))
        let count = site.push.messages.count
        if count != expected { faults.append("\(what): \(count) messages have arrived instead of \(expected)") }
        expected = count
    }

    private mutating func comeBack() throws {
        try site.comeBack()
        try site.serve(for: MessageSite.patience) { site.push.shown == nil }
        if site.push.shown != nil { faults.append("the phone shows a message that is withdrawn") }
    }

    /// Ends the aggregator, and prints what came of all messages.
    private mutating func hasSucceeded() throws -> Bool {
        let (push, decided) = (site.push, site.decided)
        if decided != left {
            faults.append("\(left) times something was forgotten, and \(decided) times it was decided")
        }
        if !site.end(by: SIGTERM) { faults.append("the aggregator had ended before") }
        faults += push.faults
        print(
            "\(decided) messages decided, \(push.messages.count) arrived, \(push.repeats) repeats on top of themselves")
        print("\(push.failures) attempts that the server refused or did not answer")
        for fault in faults { print(fault) }
        if !faults.isEmpty {
            let log = try readFile(at: site.folder.path("aggregator.log"))
            print(String(decoding: log.suffix(4000), as: UTF8.self))
        }
        print("chaos: \(faults.isEmpty ? "each message arrived once" : "\(faults.count) faults")")
        return faults.isEmpty
    }
}
