/// Labelled minutes: the RSSI history of an item that somebody carried around a room.
package struct Survey: Hashable, Sendable {
    /// The surveyed room.
    package var room: String
    /// The RSSI values received there.
    package var history: RSSIHistory

    /// A survey of a room.
    package init(room: String, history: RSSIHistory) {
        self.room = room
        self.history = history
    }
}
