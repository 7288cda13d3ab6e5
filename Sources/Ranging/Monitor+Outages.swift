import Beacons

/// Times in which the gateway receives hardly anything, although the controller responds: interference, or a bad antenna.
extension Monitor {
    /// While the gateway receives hardly any advertisement, exits wait for this time at most: after it, everybody has left.
    static let longestOutage = Interval.seconds(180)
    /// How often the monitor checks whether such an outage has ended.
    static let outageCheck = Interval.seconds(2)

    /// Since when the gateway has received hardly any advertisement, although it should; `nil` while it receives, or is known not to scan.
    ///
    /// If nothing is received at all, the outage lasts until the next advertisement, also after the exits that waited for its end.
    package func outage(at now: Instant) -> Instant? {
        guard isScanning, let outage else { return nil }
        let isSilent = lastReceived <= outage.foundAt
        return isSilent || now - outage.confirmedAt <= Self.outageCheck + Self.outageCheck ? outage.since : nil
    }

    /// Whether the gateway receives hardly any advertisement, of strangers included.
    mutating func isInOutage(at now: Instant) -> Bool {
        guard let since = reception.outage(at: now) ?? stopped(at: now) else { return false }
        // Where strangers are few, an outage is confirmed for seconds after all beacons are back, and then nobody ends it: this is another one.
        if let former = outage, since > former.confirmedAt { endOutage(at: now) }
        outage = Outage(since: outage?.since ?? since, foundAt: outage?.foundAt ?? now, confirmedAt: now)
        return true
    }

    /// Ends an outage, because strangers are received again: the outage does not count as silence, and is not learned. With a fixed exit time
    /// it counts as silence.
    mutating func endOutage(at now: Instant) {
        guard let ended = outage else { return }
        outage = nil
        let end = min(now, ended.confirmedAt + Self.outageCheck)
        guard isLearning, end - ended.since < Self.longestOutage else { return }
        for slot in records.indices where exits[slot] != nil && records[slot].lastSeen <= ended.foundAt {
            records[slot].isContinuous = false
            let silentSince = records[slot].silentSince
            records[slot].silentSince = silentSince + max(.zero, end - max(ended.since, silentSince))
        }
    }

    /// Since when nothing at all is received, if all beacons fell silent at one moment; `nil` where that is not so.
    ///
    /// The monitor decides once for each such silence, when the first exit is due.
    private mutating func stopped(at now: Instant) -> Instant? {
        guard isLearning, now - lastReceived > Standstill.shortest else { return nil }
        if let standstill, standstill.since == lastReceived { return standstill.isOutage ? lastReceived : nil }
        var found = Standstill(since: lastReceived)
        for slot in records.indices where exits[slot] != nil {
            found.note(
                silence: lastReceived - records[slot].lastSeen, every: models[slot].meanGap,
                isFaded: records[slot].isFaded)
        }
        standstill = found
        return found.isOutage ? lastReceived : nil
    }
}
