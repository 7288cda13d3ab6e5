import Glibc
import TestBroker

/// One program of ours in a process of its own, with a line to the broker that can be cut. It is started and ended as often as one likes.
final class Participant {
    let name: String
    let proxy: CuttingProxy
    private let start: () throws -> Child
    private var child: Child?
    /// How often it was started, and how often it had ended by itself when it was to be ended.
    private(set) var starts = 0
    private(set) var failures = 0
    /// Whether something was done to it that is not over.
    var isTroubled = false

    init(_ name: String, over proxy: CuttingProxy, start: @escaping () throws -> Child) {
        (self.name, self.proxy, self.start) = (name, proxy, start)
    }

    func begin() throws {
        starts += 1
        child = try start()
    }

    /// Kills it; that it had ended by itself is counted.
    func kill() {
        if !isRunning { failures += 1 }
        end(by: SIGKILL)
    }

    /// Ends it with a signal; returns its exit status, or minus the signal that ended it.
    @discardableResult
    func end(by signal: Int32) -> Int32 {
        child?.signal(signal)
        defer { child = nil }
        return child?.waitForEnd() ?? 0
    }

    func signal(_ number: Int32) { child?.signal(number) }

    /// Whether it runs, as it should.
    var isRunning: Bool { child?.isRunning ?? false }
}
