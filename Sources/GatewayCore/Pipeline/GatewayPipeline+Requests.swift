import Beacons
import EventLogs
import Messages
import Ranging

extension GatewayPipeline {
    mutating func respond(_ what: String, _ payload: [UInt8]) {
        let request = Request(parsing: payload)
        if let refusal = request.refusal {
            return effects.reply(what, request, Response<Nothing>.Outcome.failed("\(refusal)"))
        }
        switch GatewayRequest(rawValue: what) {
        case .alive: effects.reply(what, request, .done(Nothing()))
        case .regionStates: effects.reply(what, request, .done(monitoring.regionStates(effects)))
        case .beacons: effects.reply(what, request, .done(monitoring.receivedBeacons(effects)))
        case .events where !log.isInMemory(request): effects.perform(.read(.respond(request)))
        case .events: respondWithEvents(request) { _, _ in [] }
        case .restartRadio:
            effects.perform(.restartRadio)
            effects.reply(what, request, .done(Nothing()))
        case .settings:
            do throws(PayloadRefusal) {
                let change = try GatewayChange(requestedBy: request.arguments)
                if let room = change.values.room, !room.isForPeople() { throw .malformed("room") }
                _ = reload(configuration.applying(change), at: effects.now)
                effects.reply(what, request, .done(Nothing()))
            } catch {
                effects.reply(what, request, Response<Nothing>.Outcome.failed("\(error)"))
            }
        case nil:
            effects.reply(
                what, request,
                Response<Nothing>.Outcome.failed(
                    "A gateway does not respond to \"\(what)\": request alive, regions/state, beacons, events, settings or radio/restart."
                )
            )
        }
    }

    /// Responds with events; `read` returns those that are only on disk.
    package mutating func respondWithEvents(_ request: Request, read: (EventSpan, Catalogue) -> [Entry]?) {
        let now = effects.now
        let origin = now.isSynchronised ? now.wall(at: effects.startedAt) : nil
        var outcome = log.respond(request, origin: origin, read: read)
        if case .done(var response) = outcome {
            // A response is never old: the aggregator learns from it how this gateway's clock compares to its own.
            response.now = EventsResponse.Uptime(boot: effects.boot, uptime: effects.uptime(at: now.instant))
            outcome = .done(response)
        }
        effects.reply(GatewayRequest.events.rawValue, request, outcome)
    }
}

extension RegionMonitoring {
    fileprivate func regionStates(_ effects: GatewayEffects) -> RegionStatesResponse {
        RegionStatesResponse(
            gateway: effects.gateway, room: effects.room, stamp: effects.stamp(of: effects.now.instant),
            regions: monitor.regionStatuses.compactMap { status in
                // The region of all gateways' beacons is neither an item nor somebody's region.
                if status.region.isImplicit, case .uuid = status.region.scope { return nil }
                return RegionStatesResponse.Entry(
                    status.region.isImplicit ? .item(status.region.id) : .region(status.region.id),
                    identifier: status.region.identifier, state: state(of: status),
                    since: status.since.map { effects.now.wall(at: $0) },
                    beacons: status.beacons)
            })
    }

    /// Returns the beacons received in the last minute, with a distance for those that are ranged.
    fileprivate func receivedBeacons(_ effects: GatewayEffects) -> BeaconsResponse {
        let now = effects.now
        let monitored = Dictionary(monitor.beaconStatuses.map { ($0.identity, $0) }) { first, _ in first }
        return BeaconsResponse(
            gateway: effects.gateway, room: effects.room, stamp: effects.stamp(of: now.instant),
            beacons: nearby.received(since: now.instant - NearbyTable.memory).map { beacon, entry in
                let ranged = board.latest(of: beacon)
                return ReceivedBeacon(
                    beacon, name: entry.name ?? phones.name(of: beacon), rssi: entry.rssi,
                    measuredPower: entry.measuredPower,
                    accuracy: ranged?.accuracyMetres, proximity: ranged?.proximity ?? .unknown, address: entry.address,
                    addresses: ranged?.addresses ?? 1, sightings: Int(clamping: entry.sightings),
                    regions: monitored[beacon]?.regions ?? [], state: monitored[beacon]?.state,
                    lastSeenAt: now.wall(at: entry.lastSeen))
            })
    }
}
