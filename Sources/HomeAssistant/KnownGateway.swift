/// A gateway in Home Assistant's discovery.
package struct KnownGateway: Hashable, Sendable {
    package var id: String
    /// The room that the gateway serves, if known.
    package var room: String?
    /// The version of the gateway's program, if known.
    package var version: String?
    /// The address of the adapter, if known.
    package var address: String?

    package init(id: String, room: String? = nil, version: String? = nil, address: String? = nil) {
        self.id = id
        self.room = room
        self.version = version
        self.address = address
    }
}
