import Beacons
import Delivery
import EventLogs
import Messages
import Ranging

/// The messages that the pipeline publishes.
extension GatewayPipeline {
    /// Returns the stamp of an instant. Instants before this run have uptime 0.
    func stamp(of instant: Instant) -> Stamp {
        Stamp(
            at: now.wall(at: instant), boot: boot, uptime: max(.zero, Instant.zero + (instant - startedAt)),
            isClockSynchronised: now.isSynchronised)
    }

    /// The same moment as the log on disk has it.
    package var writtenAt: WrittenAt {
        WrittenAt(uptime: .zero + (now.instant - startedAt), wall: now.wall, isSynchronised: now.isSynchronised)
    }

    /// Records a problem of the disk, or its end, and reports a change.
    mutating func note(diskProblem problem: String?) {
        guard problem != diskProblem else { return }
        diskProblem = problem
        outputs.append(.note(problem ?? "The disk can be written again"))
        publishInfo()
    }

    /// Publishes the gateway's `info`, and the state of each region.
    mutating func publishInfo() {
        nextInfo = now.instant + Self.infoPeriod
        let info = GatewayInfo(
            gateway: configuration.id, room: configuration.room,
            rssiOffset: configuration.ranging.rssiOffset == 0 ? nil : configuration.ranging.rssiOffset,
            version: version, stamp: stamp(of: now.instant),
            radio: GatewayInfo.Radio(
                source: "\(configuration.radio.source)", interface: radio.interface, address: radio.address,
                state: radio.state, reason: radio.reason),
            beacon: configuration.beacon.map { .init(identity: $0.identity, measuredPower: $0.measuredPower) },
            log: log.ranges, problems: problems + [diskProblem].compactMap { $0 } + idClashes, regions: regionCount,
            revision: registry.revision)
        publish(.gatewayInfo(gateway: configuration.id), info)
        for status in monitor.regionStatuses where !status.region.isImplicit { publish(status) }
    }

    /// Replaces the problem `old` by `new`, and publishes `info` at once.
    mutating func replace(problem old: String?, by new: String?, at moment: Moment) {
        now = moment
        problems.removeAll { $0 == old }
        if let new { problems.append(new) }
        publishInfo()
    }

    /// Publishes telemetry from the counters and from `readings`, which the shell measures.
    mutating func publishTelemetry(_ readings: TelemetryMeter.Readings, at moment: Moment) {
        now = moment
        let counters = reader.counters + readings.radio
        let rates = meter.rates(
            adverts: counters.adverts, processorTime: readings.processorTime, at: moment.instant)
        var refused: [String: UInt64] = [:]
        for refusal in AdvertisementRefusal.allCases where counters[refused: refusal] > 0 {
            refused[refusal.rawValue] = counters[refused: refusal]
        }
        let received = nearby.received(since: moment.instant - NearbyTable.memory)
        let known = received.count { monitor.state(of: $0.beacon) != nil }
        publish(
            .gatewayTelemetry(gateway: configuration.id),
            Telemetry(
                boot: boot, uptime: stamp(of: moment.instant).uptime, advertsPerSecond: rates.advertsPerSecond,
                adverts: counters.adverts, sightings: counters.sightings, refused: refused,
                lostInKernel: meter.lostInKernel, beacons: known, unknownBeacons: received.count - known,
                outbox: readings.outbox, reconnects: readings.reconnects, cpuPercent: rates.processorPercent,
                rssBytes: UInt64(max(0, readings.residentBytes))))
    }

    mutating func publish(_ posting: ProximityBoard.Posting) {
        let ranged = posting.ranged
        publish(
            .proximity(ranged.identity, gateway: configuration.id),
            RangedState(
                gateway: configuration.id, room: configuration.room, proximity: ranged.proximity,
                accuracy: ranged.accuracyMetres, rssi: posting.rssi, sightings: posting.sightings,
                measuredPower: ranged.measuredPower, addresses: ranged.addresses, stamp: stamp(of: ranged.at),
                validFor: Validity.rangedSeconds(heartbeat: configuration.ranging.heartbeat)))
    }

    /// Publishes that a beacon's proximity is unknown, if a state of it was published before.
    mutating func publishUnknown(of beacon: BeaconIdentity) {
        guard board.hasPosted(beacon) else { return }
        publish(
            .proximity(beacon, gateway: configuration.id),
            RangedState(
                gateway: configuration.id, room: configuration.room, proximity: .unknown, sightings: 0, addresses: 0,
                stamp: stamp(of: now.instant),
                validFor: Validity.rangedSeconds(heartbeat: configuration.ranging.heartbeat)))
    }

    /// Clears the published state of a beacon.
    mutating func clear(_ beacon: BeaconIdentity) {
        ranger.forget(beacon)
        if board.remove(beacon) { publish(.clearing(.proximity(beacon, gateway: configuration.id))) }
    }

    mutating func publish(_ status: RegionStatus) {
        publish(
            .regionState(region: status.region.id, gateway: configuration.id),
            RegionState(
                status.state, since: status.since.map { now.wall(at: $0) }, beacons: status.beacons,
                gateway: configuration.id,
                stamp: stamp(of: now.instant)))
    }

    mutating func publish(_ topic: Topic, _ payload: some Payload) {
        publish(Message(topic, payload, using: &json))
    }

    mutating func publish(_ message: Message) {
        outputs.append(.publish(message))
    }
}
