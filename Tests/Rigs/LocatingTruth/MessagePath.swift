import Beacons
import Locating
import Ranging

/// The belief as the aggregator has it: from what gateways publish, not from what they sight.
///
/// The real ranger and the real rule of when a state is published, without the broker and the services around them: each message arrives at the end of
/// the window of the message.
enum MessagePath {
    /// What one gateway publishes of the only tag there is.
    private struct Message {
        var at: Instant
        var gateway: Int
        /// dBm: the current RSSI; `nil` where a heartbeat reports that nothing was received since.
        var rssi: Double?
        var sightings: Int
    }

    private static let tag = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4)
    private static let region = Region(id: "tag", identifier: "Tag", scope: .beacon(tag))

    /// What is reported of a walk, once a second, and by how many messages.
    static func run(_ model: LocatorModel, _ walk: Walk) -> (rows: [Replay.Row], messages: Int) {
        let messages = messages(model, walk)
        var locator = Locator(model: model)
        for gateway in model.gateways.indices { locator.scans(gateway: gateway, since: .zero - .seconds(60)) }
        var reported = ReportedRoom()
        var next = 0
        let rows = Evaluation.rows(model, walk).map { replayed in
            let now = Instant(milliseconds: replayed.milliseconds)
            while next < messages.count, messages[next].at <= now {
                apply(messages[next], to: &locator)
                next += 1
            }
            let estimate = locator.estimate(at: now)
            var row = replayed
            row.isMove = reported.update(with: estimate, at: now) != nil
            row.room = reported.room
            row.confidence = reported.room.flatMap(estimate.share(of:)) ?? 0
            return row
        }
        return (rows, messages.count)
    }

    /// As the aggregator takes a ranged state.
    private static func apply(_ message: Message, to locator: inout Locator) {
        if let rssi = message.rssi {
            locator.report(
                gateway: message.gateway, rssi: rssi, of: message.sightings, at: message.at, holds: Locator.messageHolds
            )
        } else {
            locator.silent(gateway: message.gateway)
        }
    }

    private static func messages(_ model: LocatorModel, _ walk: Walk) -> [Message] {
        model.gateways.indices
            .flatMap { gateway in
                let id = model.gateways[gateway]
                return messages(of: gateway, walk.recording.rows.filter { $0.gateway == id })
            }
            .sorted { ($0.at, $0.gateway) < ($1.at, $1.gateway) }
    }

    /// What one gateway publishes of what it sights.
    private static func messages(of gateway: Int, _ rows: [Recording.Row]) -> [Message] {
        var ranger = Ranger()
        var board = ProximityBoard(heartbeat: .seconds(10))
        ranger.setRegions([region])
        var messages: [Message] = []
        func advance(to now: Instant) {
            while let deadline = ranger.nextDeadline, deadline <= now {
                for posting in ranger.advance(to: deadline).compactMap({ board.update(with: $0) }) {
                    messages.append(
                        Message(
                            at: deadline, gateway: gateway, rssi: posting.currentRSSI,
                            sightings: posting.currentSightings))
                }
            }
        }
        for row in rows {
            let now = Instant(milliseconds: row.milliseconds)
            advance(to: now)
            guard let rssi = RSSI(dBm: Int8(max(-127, min(20, row.rssi.rounded())))) else { continue }
            ranger.receive(
                Sighting(
                    beacon: tag, rssi: rssi, measuredPower: MeasuredPower(dBm: -59),
                    address: DeviceAddress(bits: 1, kind: .random), at: now))
        }
        return messages
    }
}
