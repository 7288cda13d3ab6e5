import Beacons

/// An adapter that can be off, or dead without knowing, and that answers when it is asked.
struct SimulatedRadio: Sendable {
    /// Whether advertisements come through.
    private(set) var receives = false
    /// Whether it last said that it listens.
    private(set) var reportsScanning = false
    private var isOff = false
    private var isDead = false

    /// The process begins: what the adapter will say of itself.
    mutating func start() -> [Effect] {
        reportsScanning = false
        receives = !isOff && !isDead
        return [.radioReports(state, after: .milliseconds(300))]
    }

    mutating func stop() { (receives, reportsScanning) = (false, false) }

    /// The adapter goes, or comes back.
    mutating func turn(off: Bool) -> [Effect] {
        isOff = off
        receives = !isOff && !isDead
        return [.radioReports(state, after: .milliseconds(off ? 1 : 500))]
    }

    /// It falls silent without a word, or comes to life again; only where the former was found out it says the latter.
    mutating func turn(dead: Bool) -> [Effect] {
        isDead = dead
        receives = !isOff && !isDead
        // The driver's own watch asks the controller when nothing has come for a while; where it is well again by then, nobody knows.
        if dead { return [.radioReports(state, after: .seconds(14))] }
        return reportsScanning ? [] : [.radioReports(state, after: .milliseconds(800))]
    }

    /// It is asked whether it listens.
    func prove() -> [Effect] {
        if receives { return [.radioReports(.proven, after: .milliseconds(80))] }
        return [.radioReports(.state(.resetting, reason: "it did not answer"), after: .milliseconds(2000))]
    }

    /// What it says now is heard: late news of a state that is over is replaced by the present one.
    mutating func reporting(_ notice: RadioNotice) -> RadioNotice {
        guard case .state = notice else { return receives ? notice : .state(.resetting, reason: "it did not answer") }
        reportsScanning = receives
        return state
    }

    private var state: RadioNotice {
        if isOff { return .state(.poweredOff, reason: "it is switched off") }
        if isDead { return .state(.resetting, reason: "it did not answer") }
        return .state(.poweredOn, reason: "it listens")
    }
}
