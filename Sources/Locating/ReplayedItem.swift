import Beacons

/// The state of one beacon during a replay.
struct ReplayedItem: Sendable {
    var locator: Locator
    private var lastReceived: Instant?
    /// Seconds between two sightings by any gateways.
    private var interval = 0.0
    private var reported = ReportedRoom()
    /// Seconds: the silence after which an item counts as away, ten intervals, is within these limits. Recordings contain no exits.
    private static let (shortest, longest) = (30.0, 300.0)

    init(model: LocatorModel) {
        locator = Locator(model: model)
        for gateway in model.gateways.indices { locator.scans(gateway: gateway, since: .zero) }
    }

    /// Adds a sighting. `begin` is the recording's first moment.
    mutating func receive(_ row: Recording.Row, gateway: Int, since begin: Int64) {
        let at = Instant(milliseconds: row.milliseconds - begin)
        if let lastReceived, at > lastReceived {
            interval += 0.1 * (min((at - lastReceived).seconds, Self.longest) - interval)
        }
        lastReceived = max(lastReceived ?? at, at)
        locator.report(gateway: gateway, rssi: row.rssi, at: at)
    }

    /// The reported row at a moment.
    mutating func row(milliseconds: Int64, beacon: String, since begin: Int64) -> Replay.Row {
        let now = Instant(milliseconds: milliseconds - begin)
        var row = Replay.Row(milliseconds: milliseconds, beacon: beacon, presence: .unknown, room: nil, confidence: 0)
        guard let lastReceived else { return row }
        guard (now - lastReceived).seconds <= min(max(10 * interval, Self.shortest), Self.longest) else {
            row.presence = .away
            reported.returned()
            return row
        }
        let estimate = locator.estimate(at: now)
        row.presence = .home
        row.isMove = reported.update(with: estimate, at: now) != nil
        row.room = reported.room
        row.confidence = reported.room.flatMap(estimate.share(of:)) ?? 0
        return row
    }
}
