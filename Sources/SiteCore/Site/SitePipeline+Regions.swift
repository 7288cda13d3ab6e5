import Messages

/// What is said to people of regions: once for the site, though each gateway says for itself what it hears.
extension SitePipeline {
    /// A region with a text was entered or left at one gateway: the user's program hears of the first that has it, and of the last.
    ///
    /// A gateway that died with it inside still has it, as far as anybody knows: its death welcomes nobody.
    mutating func apply(_ event: RegionEvent) {
        guard event.message != nil, hasRoom(for: event.region) else { return }
        let others = regionsInside[event.region, default: []].subtracting([event.gateway])
        regionsInside[event.region] = event.transition == .enter ? others.union([event.gateway]) : others
        if others.isEmpty, !isReliving { outputs.append(.notify(event.bytes)) }
    }

    /// What a gateway says of a region: what is only unknown there stays as it was.
    mutating func take(state payload: [UInt8], ofRegion region: String, at gateway: String, _ topic: Topic)
        throws(PayloadRefusal)
    {
        guard !payload.isEmpty else { return forget(region, at: gateway) }
        let state = try RegionState(parsing: payload, on: topic)
        switch state.state {
        case .inside where hasRoom(for: region): regionsInside[region, default: []].insert(gateway)
        case .outside: forget(region, at: gateway)
        default: break
        }
    }

    private mutating func forget(_ region: String, at gateway: String) {
        regionsInside[region]?.remove(gateway)
        if regionsInside[region]?.isEmpty == true { regionsInside[region] = nil }
    }

    // As many as a registry can have.
    private func hasRoom(for region: String) -> Bool {
        regionsInside[region] != nil || regionsInside.count < RegistryManifest.mostEntries
    }
}
