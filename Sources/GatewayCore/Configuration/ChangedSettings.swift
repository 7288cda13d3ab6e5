import Messages
import Settings

/// The settings of gateway.toml that requests have changed: `settings.json` of the state folder.
package struct ChangedSettings: Payload {
    /// The values that count.
    var values = GatewayChange.Values()
    /// The values of gateway.toml then. If somebody changes one there, the file counts.
    var insteadOf = GatewayChange.Values()

    init() {}

    package func writeFields(to json: inout JSONWriter) {
        json.object("values", values)
        json.object("instead_of", insteadOf)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        values = try fields.entry("values")
        insteadOf = try fields.entry("instead_of")
    }
}

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
