/// Labelled minutes: the RSSI history of an item that somebody carried around a room.
public struct Survey: Hashable, Sendable {
    /// The surveyed room.
    public var room: String
    /// The RSSI values received there.
    public var history: RSSIHistory

    /// A survey of a room.
    public init(room: String, history: RSSIHistory) {
        self.room = room
        self.history = history
    }
}
