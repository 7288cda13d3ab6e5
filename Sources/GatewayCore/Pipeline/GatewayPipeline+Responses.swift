import Beacons
import EventLogs
import Messages
import Ranging

/// The responses to a gateway's requests.
extension GatewayPipeline {
    mutating func respond(_ what: String, _ payload: [UInt8]) {
        let request = Request(parsing: payload)
        switch GatewayRequest(rawValue: what) {
        case .alive: reply(what, request, .done(Nothing()))
        case .regionStates: reply(what, request, .done(regionStates()))
        case .beacons: reply(what, request, .done(receivedBeacons()))
        case .events where !log.isInMemory(request): outputs.append(.respondWithEvents(request))
        case .events: respondWithEvents(request) { _, _ in [] }
        case .restartRadio:
            outputs.append(.restartRadio)
            reply(what, request, .done(Nothing()))
        case nil:
            reply(
                what, request,
                Response<Nothing>.Outcome.failed(
                    "A gateway does not respond to \"\(what)\": request alive, regions/state, beacons, events or radio/restart."
                )
            )
        }
    }

    private mutating func reply<Value: Body>(
        _ what: String, _ request: Request, _ outcome: Response<Value>.Outcome
    ) {
        publish(
            .gatewayResponse(gateway: configuration.id, what: what),
            Response(outcome, transaction: request.transaction))
    }

    private func regionStates() -> RegionStatesResponse {
        RegionStatesResponse(
            gateway: configuration.id, room: configuration.room, stamp: stamp(of: now.instant),
            regions: monitor.regionStatuses.map { status in
                RegionStatesResponse.Entry(
                    status.region.isImplicit ? .item(status.region.id) : .region(status.region.id),
                    identifier: status.region.identifier, state: status.state,
                    since: status.since.map { now.wall(at: $0) },
                    beacons: status.beacons)
            })
    }

    /// Returns the beacons received in the last minute, with a distance for those that are ranged.
    func receivedBeacons() -> BeaconsResponse {
        let monitored = Dictionary(monitor.beaconStatuses.map { ($0.identity, $0) }) { first, _ in first }
        return BeaconsResponse(
            gateway: configuration.id, room: configuration.room, stamp: stamp(of: now.instant),
            beacons: nearby.received(since: now.instant - NearbyTable.memory).map { beacon, entry in
                let ranged = board.latest(of: beacon)
                return ReceivedBeacon(
                    beacon, name: entry.name, rssi: entry.rssi, measuredPower: entry.measuredPower,
                    accuracy: ranged?.accuracyMetres, proximity: ranged?.proximity ?? .unknown, address: entry.address,
                    addresses: ranged?.addresses ?? 1, sightings: Int(clamping: entry.sightings),
                    regions: monitored[beacon]?.regions ?? [], state: monitored[beacon]?.state,
                    lastSeenAt: now.wall(at: entry.lastSeen))
            })
    }

    /// Responds with events; `read` returns those that are only on disk.
    package mutating func respondWithEvents(_ request: Request, read: (EventSpan, Catalogue) -> [Entry]?) {
        let origin = now.isSynchronised ? now.wall(at: startedAt) : nil
        var outcome = log.respond(request, origin: origin, read: read)
        if case .done(var response) = outcome {
            // A response is never old: the aggregator learns from it how this gateway's clock compares to its own.
            response.now = EventsResponse.Uptime(boot: boot, uptime: stamp(of: now.instant).uptime)
            outcome = .done(response)
        }
        reply(GatewayRequest.events.rawValue, request, outcome)
    }
}
