import Beacons
import Messages

/// A configuration that changed while the gateway runs.
extension GatewayPipeline {
    /// Applies the settings that need no restart: the room, the regions, and the receiver offset.
    ///
    /// - Returns: the tables and keys that changed as well, and take effect at the next start.
    mutating func reload(_ new: GatewayConfiguration, at moment: Moment) -> [String] {
        now = moment
        let late = new.differences(from: configuration)
        let isAnnounced = (configuration.room, configuration.regions) == (new.room, new.regions)
        configuration.room = new.room
        (configuration.regions, configuration.formerRegionIDs) = (new.regions, new.formerRegionIDs)
        _ = storeRegionIDs()
        configuration.ranging.rssiOffset = new.ranging.rssiOffset
        ranger.rssiOffset = new.ranging.rssiOffset
        setRegions()
        if isConnected, !isAnnounced { announce() }
        publishInfo()
        // Each ranged state contains the room.
        board.postAnew()
        return late
    }
}

extension GatewayConfiguration {
    /// The tables and keys that differ and need a restart, named as in the file.
    fileprivate func differences(from old: GatewayConfiguration) -> [String] {
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
}
