/// What was learned about one room.
public struct RoomKnowledge: Hashable, Sendable {
    /// The room's name.
    public var room: String
    /// The number of fingerprints.
    public var fingerprints: Int
    /// Seconds without labels that were assigned to the room.
    public var lived: Double
    /// Seconds of surveys.
    public var surveyed: Double
}
