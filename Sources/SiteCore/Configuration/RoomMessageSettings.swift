import Settings

/// The room messages for `mqtt_room` sensors, from `[home_assistant]`.
package struct RoomMessageSettings: Hashable, Sendable {
    /// The topic prefix before the room; `nil`: `mqtt.prefix` and `rooms`.
    package var prefix: String?

    /// Reads `[home_assistant]`; `nil` unless `mqtt_room` is true.
    package init?(_ homeAssistant: SettingsTable) {
        prefix = homeAssistant.prefix("mqtt_room_prefix")
        guard homeAssistant.boolean("mqtt_room") ?? false else { return nil }
    }
}
