/// A gateway as Home Assistant is told of it.
public struct KnownGateway: Hashable, Sendable {
    /// The id.
    public var id: String
    /// The room that it serves, if that is known.
    public var room: String?
    /// The version of its program, if that is known.
    public var version: String?

    /// Creates a gateway from all its properties.
    public init(id: String, room: String? = nil, version: String? = nil) {
        self.id = id
        self.room = room
        self.version = version
    }
}
