import Settings

/// Of `[home_assistant]`, what readers of the `mqtt_room` kind get.
public struct RoomMessageSettings: Hashable, Sendable {
    /// What stands before the room; `nil`: `rooms` behind our own prefix.
    public var prefix: String?

    /// Reads it; `nil` where nothing of the kind is wanted.
    public init?(_ homeAssistant: SettingsTable) {
        prefix = homeAssistant.prefix("mqtt_room_prefix")
        guard homeAssistant.boolean("mqtt_room") ?? false else { return nil }
    }
}
