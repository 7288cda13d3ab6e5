/// The request `request/settings` to a gateway: changes its room, its receiver offset or its log level.
///
/// An absent member stays unchanged. A `null` restores the value of gateway.toml (merge patch, RFC 7396).
package struct GatewayChange: Body {
    /// The settings that a request can change; `nil`: not changed.
    package struct Values: Members {
        package var room: String?
        /// The receiver offset in dB.
        package var rssiOffset: Double?
        /// The least level of the lines that the gateway logs.
        package var logLevel: String?

        package init(room: String? = nil, rssiOffset: Double? = nil, logLevel: String? = nil) {
            (self.room, self.rssiOffset, self.logLevel) = (room, rssiOffset, logLevel)
        }

        package func writeFields(to json: inout JSONWriter) {
            json.field("room", room)
            json.field("rssi_offset_db", rssiOffset, decimals: 2)
            json.field("log_level", logLevel)
        }

        package init(reading fields: inout Fields) throws(PayloadRefusal) {
            room = try fields.optionalText("room")
            rssiOffset = try fields.optionalNumber("rssi_offset_db", in: -50...50)
            logLevel = try fields.optionalParsed("log_level") { Self.levels.contains($0) ? $0 : nil }
        }

        package static let levels = ["debug", "info", "notice", "warning", "error"]
    }

    /// The names of the settings.
    package enum Key: String, CaseIterable, Sendable {
        case room
        case rssiOffset = "rssi_offset_db"
        case logLevel = "log_level"
    }

    package var values = Values()
    /// The settings that are those of gateway.toml again.
    package var restored: Set<Key> = []

    package init() {}

    package func writeFields(to json: inout JSONWriter) {
        values.writeFields(to: &json)
        for key in Key.allCases where restored.contains(key) {
            json.key(named: key.rawValue)
            json.element(JSONValue.null)
        }
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        restored = Set(Key.allCases.filter { [object = fields.object] in object[$0.rawValue] == .null })
        values = try Values(reading: &fields)
        if fields.isStrict { try fields.refuseOthers() }
        guard !restored.isEmpty || values != Values() else { throw .senseless("The request changes nothing.") }
    }
}
