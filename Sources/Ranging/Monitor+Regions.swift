import Beacons

extension Monitor {
    /// Monitors these regions from now on, and no others.
    ///
    /// A region with the same id and scope keeps its state. A removed region makes no event. A new region that has a beacon inside enters.
    /// Ids are unique among regions and among implicit regions.
    package mutating func setRegions(_ requested: [Region], at now: Instant) -> [MonitorOutput] {
        var transitions = advance(to: now)
        var known: [Key: MonitorRegion] = [:]
        for region in regions { known[Key(region.region)] = region }
        index = RegionIndex(requested)
        regions = requested.map { region in
            var record = known[Key(region)] ?? newcomer(region, at: now)
            record.region = region
            record.inside = 0
            record.unsure = 0
            return record
        }
        for slot in records.indices where slots[records[slot].beacon] == slot { reassign(slot) }
        for number in regions.indices { appraise(number, at: now, into: &transitions) }
        planSettlement()
        return transitions
    }

    private struct Key: Hashable {
        var id: String
        var scope: Region.Scope
        var isImplicit: Bool

        init(_ region: Region) {
            id = region.id
            scope = region.scope
            isImplicit = region.isImplicit
        }
    }

    private func newcomer(_ region: Region, at now: Instant) -> MonitorRegion {
        var fresh = MonitorRegion(region, at: now)
        if isScanning { fresh.settlesAt = now + settings.exitAfter.initialSilence }
        return fresh
    }

    /// Determines a beacon's regions again, and forgets a beacon without any.
    private mutating func reassign(_ slot: Int) {
        let beacon = records[slot].beacon
        let numbers = index.regions(of: beacon)
        guard !numbers.isEmpty else { return forget(slot) }
        records[slot].regions = numbers
        let isConfigured = index.isConfigured(beacon)
        if isConfigured != records[slot].isConfigured {
            records[slot].isConfigured = isConfigured
            members += isConfigured ? -1 : 1
            if isConfigured {
                leases.remove(slot)
            } else if records[slot].isOutside {
                leases.set(slot, at: leaseEnd(of: slot))
            }
        }
        for number in numbers {
            switch records[slot].presence {
            case .outside: break
            case .inside: regions[number].inside += 1
            case .unsure: regions[number].unsure += 1
            }
        }
    }

    /// Determines a region's state again, and reports it if it changed.
    mutating func appraise(_ number: Int, at now: Instant, into transitions: inout [MonitorOutput]) {
        if let transition = regions[number].appraise(scanning: isScanning, at: now) { transitions.append(transition) }
    }

    /// The exit time of a region: that of its one beacon if it is known, otherwise that of an unknown beacon.
    func settlement(of number: Int) -> Interval {
        guard case .beacon(let beacon) = regions[number].region.scope, let slot = slots[beacon],
            records[slot].hasEntered
        else { return settings.exitAfter.initialSilence }
        return silence(of: slot)
    }

    /// Determines when the next region may become `outside` for the first time.
    mutating func planSettlement() {
        nextSettlement = regions.lazy.compactMap(\.settlesAt).min()
    }

    /// Lets the regions whose time has come become `outside` if none of their beacons was received.
    mutating func settleRegions(at now: Instant, into transitions: inout [MonitorOutput]) {
        for number in regions.indices {
            guard let settlesAt = regions[number].settlesAt, settlesAt <= now else { continue }
            regions[number].settlesAt = nil
            appraise(number, at: now, into: &transitions)
        }
        planSettlement()
    }
}
