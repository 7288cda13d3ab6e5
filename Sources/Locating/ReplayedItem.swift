import Beacons

/// One beacon of a recording on its way through a replay.
struct ReplayedItem: Sendable {
    private var locator: Locator
    private var lastHeard: Instant?
    private var silence = Silence()
    private var reported = ReportedRoom()

    init(model: LocatorModel) {
        locator = Locator(model: model)
        for gateway in model.gateways.indices { locator.listens(gateway: gateway, since: .zero) }
    }

    /// Takes a sighting; `begin` is the recording's first moment.
    mutating func hear(_ row: Recording.Row, gateway: Int, since begin: Int64) {
        let at = Instant(milliseconds: row.milliseconds - begin)
        silence.hear(at: at)
        lastHeard = at
        locator.report(gateway: gateway, rssi: row.rssi, at: at)
    }

    /// The gateway that receives it best.
    func nearest(at now: Instant) -> Int? { locator.strongest(at: now) }

    /// A gateway was found to be deaf, or not to be deaf any more.
    mutating func find(_ gateway: Int, isDeaf: Bool) {
        if isDeaf { locator.deaf(gateway: gateway) } else { locator.receives(gateway: gateway) }
    }

    /// What is said of it at a moment.
    mutating func row(milliseconds: Int64, beacon: String, since begin: Int64) -> Replay.Row {
        let now = Instant(milliseconds: milliseconds - begin)
        var row = Replay.Row(milliseconds: milliseconds, beacon: beacon, presence: .unknown, room: nil, confidence: 0)
        guard let lastHeard else { return row }
        guard now - lastHeard <= silence.limit else {
            row.presence = .away
            reported.returned()
            return row
        }
        let estimate = locator.estimate(at: now)
        row.presence = .home
        row.isMove = reported.take(estimate, at: now) != nil
        row.room = reported.room
        row.confidence = reported.room.flatMap(estimate.share(of:)) ?? 0
        return row
    }
}
