import Messages
import Settings

/// A configuration that changes while the gateway runs.
extension GatewayConfiguration {
    /// The tables and keys that differ and need a restart, named as in the file.
    func differences(from old: GatewayConfiguration) -> [String] {
        var old = old
        (old.ranging.rssiOffset, old.log.level) = (ranging.rssiOffset, log.level)
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

// Settings that requests change.
extension GatewayConfiguration {
    /// The configuration with the settings that requests have changed, and whose value in gateway.toml is that of then.
    func with(_ stored: ChangedSettings) -> GatewayConfiguration {
        let own = values
        var changed = ChangedSettings()
        func keep<Value: Equatable>(_ setting: WritableKeyPath<GatewayChange.Values, Value?>) {
            let former = stored.insteadOf[keyPath: setting]
            guard let value = stored.values[keyPath: setting], former == own[keyPath: setting] else { return }
            changed.values[keyPath: setting] = value
            changed.insteadOf[keyPath: setting] = former
        }
        keep(\.room)
        keep(\.rssiOffset)
        keep(\.logLevel)
        var new = self
        new.set(changed.values)
        new.changed = changed
        return new
    }

    /// The configuration after a request.
    func applying(_ change: GatewayChange) -> GatewayConfiguration {
        var own = self
        own.set(changed.insteadOf)
        var stored = changed
        func apply<Value>(_ key: GatewayChange.Key, _ setting: WritableKeyPath<GatewayChange.Values, Value?>) {
            if change.restored.contains(key) { stored.values[keyPath: setting] = nil }
            guard let value = change.values[keyPath: setting] else { return }
            stored.values[keyPath: setting] = value
            stored.insteadOf[keyPath: setting] = own.values[keyPath: setting]
        }
        apply(.room, \.room)
        apply(.rssiOffset, \.rssiOffset)
        apply(.logLevel, \.logLevel)
        return own.with(stored)
    }

    private var values: GatewayChange.Values {
        GatewayChange.Values(
            room: room, rssiOffset: (ranging.rssiOffset * 100).rounded() / 100, logLevel: log.level.rawValue)
    }

    private mutating func set(_ values: GatewayChange.Values) {
        room = values.room ?? room
        ranging.rssiOffset = values.rssiOffset ?? ranging.rssiOffset
        log.level = values.logLevel.flatMap { LogLevel(rawValue: $0) } ?? log.level
    }
}
