package struct RoomKnowledge: Hashable, Sendable {
    /// The room's name.
    package var room: String
    package var fingerprints: Int
    /// Seconds without labels that were assigned to the room.
    package var lived: Double
    /// Seconds of surveys.
    package var surveyed: Double
}
