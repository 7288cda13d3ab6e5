import Beacons

/// An adapter that can be off, or dead without a report, and that responds to a request for a proof.
struct SimulatedRadio: Sendable {
    /// Whether advertisements come through.
    private(set) var receives = false
    /// Whether its last report was that it scans.
    private(set) var reportsScanning = false
    private var isOff = false
    private var isDead = false

    /// The process begins: what the adapter will report.
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

    /// The adapter falls silent without a report, or recovers; it reports the recovery only if the silence was found out.
    mutating func turn(dead: Bool) -> [Effect] {
        isDead = dead
        receives = !isOff && !isDead
        // The driver's own watch asks the controller when nothing has come for a while; where it is well again by then, nobody knows.
        if dead { return [.radioReports(state, after: .seconds(14))] }
        return reportsScanning ? [] : [.radioReports(state, after: .milliseconds(800))]
    }

    /// The adapter is asked whether it scans.
    func prove() -> [Effect] {
        if receives { return [.radioReports(.proven, after: .milliseconds(80))] }
        return [.radioReports(.state(.resetting, reason: "it did not answer"), after: .milliseconds(2000))]
    }

    /// The adapter's present report: a late report of a state that is over is replaced by the present one.
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
