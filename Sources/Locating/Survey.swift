/// Labelled minutes: how a room sounded while somebody stood in it with an item.
public struct Survey: Hashable, Sendable {
    /// Where that was.
    public var room: String
    /// What was heard there.
    public var history: LevelHistory

    /// A survey of a room.
    public init(room: String, history: LevelHistory) {
        self.room = room
        self.history = history
    }
}
