import Messages

/// The settings of gateway.toml that requests have changed: `settings.json` of the state folder.
package struct ChangedSettings: Payload {
    /// The values that count.
    var values = GatewayChange.Values()
    /// The values of gateway.toml then. Somebody may edit the file since, or set the gateway up again: that value of the file counts.
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
