/// What was learned of one room.
public struct RoomKnowledge: Hashable, Sendable {
    /// The room's name.
    public var room: String
    /// How many typical sounds it was found to have.
    public var sounds: Int
    /// Seconds of unlabelled living that were taken for it.
    public var lived: Double
    /// Seconds of surveys.
    public var surveyed: Double
}
