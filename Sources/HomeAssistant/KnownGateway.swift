/// A gateway in Home Assistant's discovery.
package struct KnownGateway: Hashable, Sendable {
    package var id: String
    package var room: String?
    package var version: String?
    package var address: String?

    package init(id: String, room: String? = nil, version: String? = nil, address: String? = nil) {
        self.id = id
        self.room = room
        self.version = version
        self.address = address
    }
}
