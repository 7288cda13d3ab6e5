import SiteCore
import Beacons
import Glibc
import Linux
import TestBroker
import Testing

@testable import AggregatorService

@Suite("The user's own program")
struct NotifyRunnerTests {
    private func runner(_ script: String, limit: Interval = .seconds(60)) -> NotifyRunner {
        var command = NotifyCommand(words: ["/bin/sh", "-c", script])
        command.timeLimit = limit
        return NotifyRunner(command)
    }

    /// Drives the runner until a condition holds. Only asking shows whether another process has ended.
    private func drive(_ runner: inout NotifyRunner, until isSo: (NotifyRunner) -> Bool) throws {
        let deadline = Clock.now + .seconds(60)
        repeat {
            try #require(Clock.now < deadline)
            runner.advance(to: Clock.now)
            poll(nil, 0, 2)
        } while !isSo(runner)
    }

    @Test func `the notification command gets the payload on standard input, and then its end`() throws {
        let folder = try TestFolder()
        var runner = runner("cat > '\(folder.path("got"))'")
        runner.add(Array(#"{"v":1}"#.utf8))
        try drive(&runner) { $0.nextDeadline == nil }
        #expect(try readFile(at: folder.path("got")) == Array(#"{"v":1}"#.utf8))
        #expect(runner.problem == nil)
    }

    @Test(arguments: [("exit 3", "exit status 3"), ("kill -9 $$", "signal 9")])
    func `one that fails is a problem until the next one does not`(script: String, words: String) throws {
        let folder = try TestFolder()
        var runner = runner("[ -e '\(folder.path("ok"))' ] || \(script)")
        runner.add([])
        try drive(&runner) { $0.problem != nil }
        #expect(runner.problem?.contains(words) == true, "\(runner.problem ?? "")")
        try folder.write("", to: "ok")
        runner.add([])
        try drive(&runner) { $0.problem == nil }
    }

    @Test func `one that is not there is a problem, and blocks nothing`() throws {
        var runner = NotifyRunner(NotifyCommand(words: ["/nowhere/at/all"]))
        runner.add([])
        runner.advance(to: Clock.now)
        #expect(runner.problem?.contains("/nowhere/at/all") == true)
        #expect(runner.nextDeadline == nil)
    }

    @Test func `one that takes too long is ended, with all that it started`() throws {
        let folder = try TestFolder()
        var runner = runner("trap '' TERM; sleep 1000 & echo $! > '\(folder.path("pid"))'; wait; sleep 1000")
        runner.add([])
        let start = Clock.now
        runner.advance(to: start)
        try drive(&runner) { _ in (try? readFile(at: folder.path("pid")))?.isEmpty == false }
        // Its time is up by a clock of ours, and so is the one after it.
        runner.advance(to: start + .seconds(61))
        runner.advance(to: start + .seconds(64))
        try drive(&runner) { $0.nextDeadline == nil }
        #expect(runner.problem?.contains("longer than 60 s") == true, "\(runner.problem ?? "")")
        let pid = try #require(pid_t(String(decoding: try readFile(at: folder.path("pid")), as: UTF8.self).dropLast()))
        let deadline = Clock.now + .seconds(60)
        while kill(pid, 0) == 0, !isDead(pid), Clock.now < deadline { poll(nil, 0, 2) }
        #expect(kill(pid, 0) != 0 || isDead(pid))
    }

    // Nobody may have reaped it here.
    private func isDead(_ pid: pid_t) -> Bool {
        guard let status = try? readFile(at: "/proc/\(pid)/stat") else { return true }
        return String(decoding: status, as: UTF8.self).contains(") Z ")
    }

    @Test func `only so many run at once, and the others wait for their turn`() throws {
        let folder = try TestFolder()
        var runner = runner(
            "echo x >> '\(folder.path("begun"))'; while [ ! -e '\(folder.path("go"))' ]; do sleep 0.01; done")
        for _ in 0..<10 { runner.add([]) }
        func begun() -> Int { ((try? readFile(at: folder.path("begun"))) ?? []).count / 2 }
        try drive(&runner) { _ in begun() == NotifyRunner.mostAtOnce }
        runner.advance(to: Clock.now)
        #expect(runner.runningCount == NotifyRunner.mostAtOnce)
        try folder.write("", to: "go")
        try drive(&runner) { $0.nextDeadline == nil }
        #expect(begun() == 10 && runner.problem == nil)
    }

    @Test func `the runner drops the oldest of too many waiting notifications, and reports the loss`() {
        var runner = runner("exit 0")
        for _ in 0...NotifyRunner.mostWaiting { runner.add([]) }
        #expect(runner.problem?.contains("dropped") == true)
    }
}
