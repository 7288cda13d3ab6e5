import Beacons

struct MonitorRegion: Sendable {
    var region: Region
    var reported = MonitoringState.unknown
    /// Since when; `nil` if that is unknown.
    var since: Instant?
    /// The last state that was not `unknown`; `nil` before there was one.
    var definite: MonitoringState?
    /// Since when the last definite state lasts, unknown times included; `nil` after a restart of unknown length.
    var definiteSince: Instant?
    /// The value of `definiteSince` if the restart of unknown length had taken no time.
    var undatedSince: Instant?
    /// Before this moment silence does not mean `outside`; `nil`: it does.
    var settlesAt: Instant?
    /// Whether a recent snapshot has the region `outside`: it is `outside` as soon as the radio scans.
    var isTrusted = false
    var inside = 0
    var unsure = 0
    /// The latest exit of any of the region's beacons, which is the region's own exit if no beacon is left.
    var lastExitAt: Instant?

    init(_ region: Region, at now: Instant) {
        self.region = region
        since = now
    }

    /// The state that follows from the numbers of beacons.
    func state(scanning: Bool) -> MonitoringState {
        if !scanning { return .unknown }
        if inside > 0 { return .inside }
        return unsure > 0 || settlesAt != nil ? .unknown : .outside
    }

    /// Returns the transition if the state changed; `nil` if it did not, and for implicit regions.
    mutating func appraise(scanning: Bool, at now: Instant) -> MonitorOutput? {
        let state = state(scanning: scanning)
        guard state != reported else { return nil }
        var event: MonitorOutput.Event?
        if state != .unknown, state != definite {
            if state == .inside { event = .enter } else if definite == .inside { event = .exit }
            (definite, definiteSince, undatedSince) = (state, now, nil)
        }
        reported = state
        since = state == .unknown ? now : definiteSince
        guard !region.isImplicit else { return nil }
        return .region(RegionTransition(region: region, state: state, event: event, at: now, beacons: inside))
    }

    /// Applies the downtime of the restart, which is known now.
    mutating func date(downtime: Interval) {
        guard let undatedSince else { return }
        definiteSince = undatedSince - downtime
        self.undatedSince = nil
        if reported == definite { since = definiteSince }
    }
}
