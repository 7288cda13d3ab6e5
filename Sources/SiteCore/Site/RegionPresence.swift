import Beacons
import Messages

/// The regions with a text, and the gateways at which each is inside. A text is published once for the site, not once for each gateway.
struct RegionPresence: Sendable {
    private var inside: [String: Set<String>] = [:]

    /// Applies an event of a region; returns whether its text is published: at the first gateway that has the region inside, and at the
    /// last.
    ///
    /// A gateway that went down with the region inside still counts as inside.
    mutating func apply(_ event: RegionEvent) -> Bool {
        guard event.message != nil, hasRoom(for: event.region) else { return false }
        let others = inside[event.region, default: []].subtracting([event.gateway])
        inside[event.region] = event.transition == .enter ? others.union([event.gateway]) : others
        return others.isEmpty
    }

    /// Receives the state of a region at a gateway. An empty payload removes it.
    mutating func receive(
        state payload: [UInt8], of region: String, at gateway: String, _ topic: Topic
    ) throws(PayloadRefusal) {
        guard !payload.isEmpty else { return forget(region, at: gateway) }
        apply(try RegionState(parsing: payload, on: topic).state, ofRegion: region, at: gateway)
    }

    /// Applies the state of a region at a gateway: what is only unknown there stays as it was.
    mutating func apply(_ state: MonitoringState, ofRegion region: String, at gateway: String) {
        switch state {
        case .inside where hasRoom(for: region): inside[region, default: []].insert(gateway)
        case .outside: forget(region, at: gateway)
        default: break
        }
    }

    /// The broker no longer holds a state of the region at the gateway.
    mutating func forget(_ region: String, at gateway: String) {
        inside[region]?.remove(gateway)
        if inside[region]?.isEmpty == true { inside[region] = nil }
    }

    /// Forgets a region that was removed. A later region with its id is inside nowhere, also not at gateways that are gone.
    mutating func forget(_ region: String) { inside[region] = nil }

    // As many as a registry can have.
    private func hasRoom(for region: String) -> Bool {
        inside[region] != nil || inside.count < RegistryManifest.mostEntries
    }
}
