/// The rooms in which items really were during a recording.
package struct Truth: Hashable, Sendable {
    /// The room of a beacon from this moment on, until the beacon's next row.
    package struct Row: Hashable, Sendable {
        /// When, in milliseconds on the recording's clock.
        package var milliseconds: Int64
        /// The item's id, or another name of the beacon.
        package var beacon: String
        package var room: String

        package init(milliseconds: Int64, beacon: String, room: String) {
            self.milliseconds = milliseconds
            self.beacon = beacon
            self.room = room
        }
    }

    /// The rows in order of time.
    package let rows: [Row]

    /// The rows, whatever order they come in.
    package init(rows: [Row]) {
        self.rows = rows.enumerated()
            .sorted { ($0.element.milliseconds, $0.offset) < ($1.element.milliseconds, $1.offset) }
            .map(\.element)
    }
}
