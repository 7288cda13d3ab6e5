import Beacons

/// Runs the real locator over a recording in virtual time. The result is deterministic.
///
/// All gateways of the site count as scanning throughout. Sightings by gateways that the site does not have are skipped. A recording has no
/// enters and exits, so presence follows from silence.
package struct Replay: Sendable {
    /// The reported location of one item at one moment.
    package struct Row: Hashable, Sendable {
        /// Whether the item is at the site.
        package enum Presence: String, Sendable {
            /// The item was received recently.
            case home
            /// The item was received once, and is silent for longer than expected.
            case away
            /// The item was not received yet.
            case unknown
        }

        /// When, in milliseconds on the recording's clock; a multiple of 1000.
        package var milliseconds: Int64
        /// The item's id, or another name of the beacon.
        package var beacon: String
        package var presence: Presence
        /// The room; `nil` unless home.
        package var room: String?
        /// The confidence of the room; 0 without a room.
        package var confidence: Double
        /// Whether the change to that room is an event.
        package var isMove = false

        /// The row as a line of the file, without its line feed; the confidence to three decimals.
        package var csv: String {
            let thousandths = Int((max(0, min(1, confidence)) * 1000).rounded())
            let decimal = "\(thousandths / 1000).\(String(1000 + thousandths % 1000).dropFirst())"
            return "\(milliseconds),\(beacon),\(presence.rawValue),\(room ?? ""),\(decimal)"
        }
    }

    private let model: LocatorModel

    package init(model: LocatorModel) {
        self.model = model
    }

    /// Calls `report` for every beacon at every multiple of 1000 ms from the first row to the last, ordered by time, then by name.
    package func run(_ recording: Recording, report: (Row) -> Void) {
        guard let first = recording.rows.first, let last = recording.rows.last else { return }
        let beacons = recording.beacons
        let index = Dictionary(uniqueKeysWithValues: beacons.enumerated().map { ($1, $0) })
        var items = beacons.map { _ in ReplayedItem(model: model) }
        var next = 0
        var reception = Reception()
        for gateway in model.gateways { reception.scans(gateway, since: .zero) }
        let begin = first.milliseconds
        for moment in Self.seconds(from: begin, to: last.milliseconds) {
            while next < recording.rows.count, recording.rows[next].milliseconds <= moment {
                let row = recording.rows[next]
                next += 1
                guard let item = index[row.beacon], let gateway = model.index(ofGateway: row.gateway) else { continue }
                items[item].receive(row, gateway: gateway, since: begin)
                let at = Instant(milliseconds: row.milliseconds - begin)
                let nearest = items[item].locator.smoothed.strongest(at: at).map { model.gateways[$0] }
                if reception.receives(row.gateway, nearest: nearest, at: at) {
                    for other in items.indices { items[other].locator.set(isDeaf: false, gateway: gateway) }
                }
            }
            for id in reception.newlyDeaf(at: Instant(milliseconds: moment - begin)) {
                guard let gateway = model.index(ofGateway: id) else { continue }
                for item in items.indices { items[item].locator.set(isDeaf: true, gateway: gateway) }
            }
            for (name, item) in zip(beacons, items.indices) {
                report(items[item].row(milliseconds: moment, beacon: name, since: begin))
            }
        }
    }

    /// The multiples of 1000 within a span.
    private static func seconds(from first: Int64, to last: Int64) -> StrideThrough<Int64> {
        let begin = first - ((first % 1000) + 1000) % 1000
        return stride(from: begin < first ? begin + 1000 : begin, through: last, by: 1000)
    }

    // MARK: CSV

    package static let heading = "t_ms,beacon,presence,room,confidence"
}
