import GatewayCore
import Beacons
import Linux

/// The pace of a gateway: the kernel's clock, or a recording that is played as fast as it goes.
extension GatewayRun {
    /// A recording that is played as fast as it goes waits while more than this waits for the broker.
    private static let mostQueued = 500

    /// A recording that is played as fast as it goes needs a broker that keeps up, and begins when the registry can have come:
    /// minutes of it are over in the time that a message takes. Everything else happens when it happens.
    var isPlaying: Bool {
        guard case .virtual = time else { return true }
        return driver.isConnected && unanswered.isEmpty && connection.queued < Self.mostQueued
            && driver.waiting == 0 && driver.undelivered < Self.mostQueued
            && !driver.hasEnded
    }

    mutating func sleepOrJump() {
        let next = [radio.nextDeadline, beacon.nextDeadline, driver.nextDecision].compactMap { $0 }.min()
        let jumpsBefore = jumps
        jumps = 0
        switch time {
        case .live:
            let ended = driver.hasEnded ? Clock.now + .milliseconds(100) : nil
            let deadlines = [radio.nextDeadline, beacon.nextDeadline, supervision.nextDeadline, ended]
            let wakes = deadlines.compactMap { $0 }.reduce(writes.deadline(driver.nextDeadline, at: Clock.now), min)
            let others = radio.descriptors + beacon.descriptors + [writes.descriptor].compactMap { $0 }
            _ = wait(for: [signals.number, connection.wakeup] + others, until: wakes)
        case .virtual(_, let now) where isPlaying:
            guard let next else { return }
            // Behind a recording's end, once all has left, there is nothing to hurry to: time goes as it does outside.
            guard radio.nextDeadline == nil, driver.isQuiet else {
                jumps = jumpsBefore + 1
                return time.jump(to: next)
            }
            let began = Clock.now
            let wakes = [began + (next - now), driver.nextUpkeep ?? began + (next - now)].min()!
            _ = wait(for: [signals.number, connection.wakeup], until: wakes)
            time.jump(to: now + (Clock.now - began))
        case .virtual:
            _ = wait(for: [signals.number, connection.wakeup], until: Clock.now + .milliseconds(100))
        }
    }
}
