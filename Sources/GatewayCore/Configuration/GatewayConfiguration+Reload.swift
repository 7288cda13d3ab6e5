import Settings

/// A configuration that changes while the gateway runs.
extension GatewayConfiguration {
    /// The tables and keys that differ and need a restart, named as in the file.
    func differences(from old: GatewayConfiguration) -> [String] {
        var old = old
        old.ranging.rssiOffset = ranging.rssiOffset
        return [
            (id != old.id, "id"), (stateDirectory != old.stateDirectory, "state_directory"),
            (broker != old.broker && id == old.id, "[mqtt]"), (log != old.log, "[log]"),
            (radio != old.radio, "[radio]"),
            (ranging != old.ranging, "[ranging]"), (monitoring != old.monitoring, "[monitoring]"),
            (beacon != old.beacon, "[beacon]"), (homeAssistant != old.homeAssistant, "[home_assistant]"),
        ].filter(\.0).map(\.1)
    }

    /// Gives the regions the ids that an earlier release stored on disk, so that existing ids stay.
    ///
    /// - Returns: whether there is such a region.
    mutating func restoreRegionIDs(_ stored: Set<String>) -> Bool {
        var taken = Set(regions.map(\.id))
        var isChanged = false
        for index in regions.indices {
            let id = regions[index].id
            guard let former = formerRegionIDs[id], stored.contains(former), !stored.contains(id),
                taken.insert(former).inserted
            else { continue }
            regions[index].id = former
            isChanged = true
        }
        return isChanged
    }
}
