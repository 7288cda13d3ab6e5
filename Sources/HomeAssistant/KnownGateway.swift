/// A gateway in Home Assistant's discovery.
public struct KnownGateway: Hashable, Sendable {
    /// The id.
    public var id: String
    /// The room that the gateway serves, if known.
    public var room: String?
    /// The version of the gateway's program, if known.
    public var version: String?

    /// Creates a gateway from all its properties.
    public init(id: String, room: String? = nil, version: String? = nil) {
        self.id = id
        self.room = room
        self.version = version
    }
}
