import Beacons

/// The state of one beacon during a replay.
struct ReplayedItem: Sendable {
    private var locator: Locator
    private var lastReceived: Instant?
    private var silence = RecordedSilence()
    private var reported = ReportedRoom()

    init(model: LocatorModel) {
        locator = Locator(model: model)
        for gateway in model.gateways.indices { locator.scans(gateway: gateway, since: .zero) }
    }

    /// Adds a sighting. `begin` is the recording's first moment.
    mutating func receive(_ row: Recording.Row, gateway: Int, since begin: Int64) {
        let at = Instant(milliseconds: row.milliseconds - begin)
        silence.receive(at: at)
        lastReceived = at
        locator.report(gateway: gateway, rssi: row.rssi, at: at)
    }

    /// The gateway that receives the item best.
    func nearest(at now: Instant) -> Int? { locator.smoothed.strongest(at: now) }

    mutating func find(_ gateway: Int, isDeaf: Bool) {
        locator.set(isDeaf: isDeaf, gateway: gateway)
    }

    /// The reported row at a moment.
    mutating func row(milliseconds: Int64, beacon: String, since begin: Int64) -> Replay.Row {
        let now = Instant(milliseconds: milliseconds - begin)
        var row = Replay.Row(milliseconds: milliseconds, beacon: beacon, presence: .unknown, room: nil, confidence: 0)
        guard let lastReceived else { return row }
        guard now - lastReceived <= silence.limit else {
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
