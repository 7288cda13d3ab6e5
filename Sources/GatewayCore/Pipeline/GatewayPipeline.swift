import Beacons
import Delivery
import EventLogs
import HomeAssistant
import Messages
import Ranging

/// One gateway without its adapters: receives advertisements, messages and the time, and returns messages. It uses no socket, clock or log.
///
/// Three drivers use the same pipeline: the live one, a recording at any speed, and tests.
package struct GatewayPipeline: Sendable {
    private(set) var configuration: GatewayConfiguration
    var effects: GatewayEffects
    private(set) var monitoring: RegionMonitoring
    package private(set) var registry = RegistryReplica()
    /// When to ask next for entries of the registry that did not arrive.
    private var nextFetch: Instant
    private(set) var announcement = GatewayAnnouncement()
    var status: GatewayStatus
    /// The beacons of the regions that a former process wrote to disk, by id.
    private var storedRegions: [String: Region.Scope?] = [:]
    /// How often a gateway checks for entries of the registry that did not arrive.
    private static let fetchPeriod = Interval.seconds(1)

    package init(_ configuration: GatewayConfiguration, boot: Boot, at start: Moment) {
        self.configuration = configuration
        effects = GatewayEffects(configuration, boot: boot, at: start)
        monitoring = RegionMonitoring(configuration, at: start.instant)
        nextFetch = start.instant + Self.fetchPeriod
        status = GatewayStatus(at: start.instant)
        setRegions()
    }

    /// The gateway's events, on their way to the disk and to the broker.
    package var events: EventPublisher {
        _read { yield effects.events }
        _modify { yield &effects.events }
    }
    package var log: EventLog { _read { yield effects.events.log } }
    /// The present moment in the form that the event log's disk uses.
    package var writtenAt: WrittenAt { effects.writtenAt }
    /// Which beacons are in which regions.
    package var monitor: Monitor { _read { yield monitoring.monitor } }
    /// Whether events may be published. They wait while Home Assistant sets up the devices that they belong to.
    var eventsMayGo: Bool { effects.now.instant >= announcement.eventsWaitUntil }

    // MARK: What comes in

    /// Sets the time before advertisements are received, so that an enter is not dated by a wall clock that was set since.
    package mutating func wake(at moment: Moment) { effects.now = moment }

    /// Receives one advertisement. This is the hot path: it allocates nothing and writes nothing.
    package mutating func receive(_ advertisement: Advertisement, _ data: RawSpan) {
        monitoring.receive(advertisement, data, &effects)
    }

    package mutating func handle(_ notice: RadioNotice, at moment: Moment) {
        effects.now = moment
        switch notice {
        case .state(let state, let reason):
            // A radio that scans again reports that each time: what interrupted it has happened again.
            guard state == .poweredOn || status.radio.state != state || status.radio.reason != reason else { return }
            let wasScanning = status.radio.isScanning
            (status.radio.state, status.radio.reason) = (state, reason)
            let isScanning = status.radio.isScanning
            effects.note("The radio is \(state.rawValue): \(reason)")
            if wasScanning || isScanning { monitoring.scans(at: moment) }
            if isScanning != wasScanning { monitoring.radio(scanning: isScanning, &effects) }
            publishInfo()
        case .proven: monitoring.proven(&effects)
        case .lost(let count): status.lostInKernel(count)
        case .ended: status.radio.hasEnded = true
        }
    }

    /// The machine slept until this moment, or this process stood still: what was silent meanwhile has not left.
    package mutating func slept(until moment: Moment) {
        guard status.radio.isScanning else { return }
        effects.note("The machine slept, or this process stood still")
        if let awake = monitoring.lastScannedAt { effects.now = awake }
        monitoring.radio(scanning: false, &effects)
        effects.now = moment
        monitoring.radio(scanning: true, &effects)
    }

    /// Lets time pass: exits fall due, windows end, heartbeats are published.
    package mutating func advance(to moment: Moment) {
        effects.now = moment
        let now = moment.instant
        if status.radio.isScanning { monitoring.scans(at: moment) }
        if monitoring.aliases.isOutdated(at: moment) { monitoring.aliases.resolve(registry.items, at: moment) }
        monitoring.advance(&effects)
        if status.isConnected, now >= nextFetch { fetchMissing(at: moment) }
        for (problem, hasBegun) in monitoring.changedProblems(&effects) {
            replace(problem: problem, by: hasBegun ? problem : nil, at: moment)
        }
        if status.isInfoDue(at: now) { publishInfo() }
        if status.takeOnlineDue(at: now) { publish(.online) }
        respondToHomeAssistant()
        if status.takeTelemetryDue(at: now) { effects.perform(.measure) }
    }

    /// When to call `advance(to:)` and `drainOutputs()` next if nothing is received before; at once while outputs wait.
    package var nextDeadline: Instant {
        // A driver that makes outputs while it carries others out must not sleep before they are done: one may be a response.
        if !effects.outputs.isEmpty { return effects.now.instant }
        // Asked after each advertisement: an array would be an allocation for each.
        var next = status.nextDeadline
        if let monitored = monitoring.nextDeadline { next = min(next, monitored) }
        if status.isConnected, registry.isMissingEntries { next = min(next, nextFetch) }
        if let response = announcement.responseDueAt { next = min(next, response) }
        return eventsMayGo ? next : min(next, announcement.eventsWaitUntil)
    }

    package mutating func drainOutputs() -> [GatewayOutput] { effects.drainOutputs() }

    // MARK: The broker

    /// Handles a new connection to the broker, which may have lost all retained messages.
    package mutating func connected(at moment: Moment) {
        effects.now = moment
        status.connected(at: moment.instant)
        status.replace(problem: monitoring.aliases.problem, by: nil)
        monitoring.aliases.connected()
        announcement.publish(configuration, &effects)
        publishStates()
    }

    /// Handles the end of the connection. The states are published again with the next one.
    package mutating func disconnected(at moment: Moment) {
        effects.now = moment
        status.disconnected()
        registry.connectionLost()
    }

    /// Handles one message. A message with an invalid payload is counted and otherwise ignored.
    package mutating func receive(topic name: String, payload: [UInt8], isRetained: Bool, at moment: Moment) {
        effects.now = moment
        if HomeAssistantTopic(named: name, under: configuration.homeAssistant.topicPrefix) == .status {
            guard !isRetained, payload.elementsEqual("online".utf8) else { return }
            announcement.homeAssistantStarted(at: moment.instant)
            return respondToHomeAssistant()
        }
        guard let topic = Topic(named: name, under: effects.prefix) else { return effects.refuse("topic") }
        if case .gatewayRequest(configuration.id, let what) = topic {
            // A retained request was meant for an earlier moment.
            guard !isRetained else { return effects.refuse("retained_request") }
            return respond(what, payload)
        }
        if case .itemAliases(let item) = topic { return receive(aliases: payload, of: item) }
        do throws(PayloadRefusal) {
            guard try registry.receive(topic, payload, at: moment.instant) else { return }
            let former = monitoring.aliases.problem
            monitoring.aliases.forget(registry.changes.items.filter { registry.items[$0] == nil })
            status.replace(problem: former, by: monitoring.aliases.problem)
            setRegions()
            effects.add(.storeRegistry)
            publishInfo()
        } catch {
            effects.refuse(error.name)
        }
    }

    /// Asks again for entries of the registry that the broker did not deliver, and reports those that do not come.
    private mutating func fetchMissing(at moment: Moment) {
        nextFetch = moment.instant + Self.fetchPeriod
        for step in registry.fetchMissing(at: moment.instant) { effects.perform(.fetch(step)) }
        let former = registry.problem
        guard registry.updateProblem(of: "this gateway") else { return }
        if let problem = registry.problem { effects.note(problem) }
        replace(problem: former, by: registry.problem, at: moment)
    }

    /// Receives the aliases of an item, or their withdrawal.
    private mutating func receive(aliases payload: [UInt8], of item: String) {
        let former = monitoring.aliases.problem
        if let reason = monitoring.aliases.receive(payload, of: item) { effects.refuse(reason) }
        guard case let problem = monitoring.aliases.problem, problem != former else { return }
        replace(problem: former, by: problem, at: effects.now)
    }

    /// Returns the last messages of a gateway that stops: each beacon becomes unknown, without an exit.
    package mutating func farewell(at moment: Moment) -> [Message] {
        effects.now = moment
        if status.radio.isScanning { monitoring.scans(at: moment) }
        (status.radio.state, status.radio.reason) = (.unknown, "the gateway was stopped")
        monitoring.radio(scanning: false, &effects)
        publishInfo()
        publish(.offline)
        return drainOutputs().compactMap { if case .publish(let message) = $0 { message } else { nil } }
    }

    // MARK: What is published

    private mutating func publish(_ availability: Availability) {
        effects.publish(Message(.gatewayAvailability(gateway: effects.gateway), availability))
    }

    private mutating func publishStates() {
        publish(.online)
        publishInfo()
        monitoring.postAnew()
    }

    /// Announces the gateway and publishes its states after Home Assistant has started. Telemetry follows once the gateway is known there.
    private mutating func respondToHomeAssistant() {
        let now = effects.now.instant
        guard announcement.takeResponseDue(at: now) else { return }
        if configuration.discoveryTopic != nil {
            announcement.publish(configuration, &effects)
            publishStates()
        }
        status.requestTelemetry(at: now + GatewayAnnouncement.takingIn)
    }

    /// Publishes the gateway's `info`, the state of each region, and what is inside since a former run.
    private mutating func publishInfo() {
        status.publishInfo(
            of: configuration, problems: registry.idClashes(with: configuration),
            regions: monitor.regionStatuses.count, revision: registry.revision, &effects)
        monitoring.publishRegionStates(&effects)
        monitoring.publishRestored(&effects)
    }

    /// Replaces the problem `old` by `new`, and publishes `info` at once.
    mutating func replace(problem old: String?, by new: String?, at moment: Moment) {
        effects.now = moment
        status.replace(problem: old, by: new)
        publishInfo()
    }

    /// Records a problem of the disk, or its end, and reports a change.
    mutating func note(diskProblem problem: String?) {
        if status.note(diskProblem: problem, &effects) { publishInfo() }
    }

    /// Records what was measured of the machine, and reports a power supply that is too weak.
    mutating func note(_ machine: GatewayInfo.Machine, at moment: Moment) {
        effects.now = moment
        if status.note(machine, &effects) { publishInfo() }
    }

    /// Publishes telemetry from the counters and from `readings`, which the shell measures.
    mutating func publishTelemetry(_ readings: TelemetryMeter.Readings, at moment: Moment) {
        effects.now = moment
        status.publishTelemetry(
            readings, monitoring.reader.counters + readings.radio,
            beacons: monitoring.receivedCounts(at: moment.instant), &effects)
    }

    // MARK: Regions and states

    /// Monitors the regions of configuration and registry.
    private mutating func setRegions() {
        monitoring.setRegions(registry.regions(with: configuration), &effects)
        monitoring.aliases.resolve(registry.items, at: effects.now)
    }

    package mutating func recognise(_ keys: IdentityKeys) { monitoring.phones = IdentityResolver(keys) }

    /// Restores what a former process has announced to Home Assistant on the topic of this one.
    mutating func restore(components: String) { announcement.restore(components) }

    package mutating func restore(_ stored: StoredRegistry) {
        registry.restore(stored)
        setRegions()
    }

    /// Restores the states of a former process. Call this after the registry is restored and before the radio scans.
    ///
    /// - Parameters:
    ///   - events: the events in the log after the states; without states, all events.
    ///   - machine: identifies the machine's start.
    package mutating func restore(
        _ stored: StoredStates?, _ silences: StoredSilences?, events: [LoggedEvent], machine: String
    ) {
        for region in stored?.snapshot.regions ?? [] where !region.isImplicit {
            storedRegions[region.id] = region.scope
        }
        if configuration.restoreRegionIDs(storedRegions) { setRegions() }
        monitoring.restore(stored, silences, events: events, machine: machine, &effects)
        monitoring.aliases.resolve(registry.items, at: effects.now)
    }

    /// The states for this gateway's disk; see `RegionMonitoring.storedStates`.
    func storedStates(machine: String, isFinal: Bool = false) -> StoredStates? {
        monitoring.storedStates(machine: machine, isFinal: isFinal, effects)
    }

    var storedSilences: StoredSilences { monitoring.storedSilences(at: effects.now.instant) }

    /// Applies the settings that need no restart: the room, the regions, the receiver offset, and the level of the log.
    ///
    /// - Returns: the tables and keys that changed as well, and take effect at the next start.
    mutating func reload(_ new: GatewayConfiguration, at moment: Moment) -> [String] {
        effects.now = moment
        let late = new.differences(from: configuration)
        let isAnnounced = (configuration.room, configuration.regions) == (new.room, new.regions)
        (configuration.room, effects.room) = (new.room, new.room)
        var former = storedRegions
        for region in configuration.regions { former[region.id] = region.scope }
        (configuration.regions, configuration.madeRegionIDs) = (new.regions, new.madeRegionIDs)
        _ = configuration.restoreRegionIDs(former)
        if configuration.changed != new.changed { effects.add(.settingsChanged) }
        (configuration.changed, configuration.log.level) = (new.changed, new.log.level)
        configuration.ranging.rssiOffset = new.ranging.rssiOffset
        monitoring.set(rssiOffset: new.ranging.rssiOffset)
        setRegions()
        if status.isConnected, !isAnnounced { announcement.publish(configuration, &effects) }
        publishInfo()
        // Each ranged state contains the room.
        monitoring.postAnew()
        return late
    }

    /// Every table of the pipeline that can grow, by name, with its limit.
    package var tables: [(name: String, count: Int, limit: Int)] {
        [
            ("events in memory", log.inMemory, EventLog.mostInMemory),
            ("aliases of items", monitoring.aliases.count, AliasTable.most),
            ("addresses of phones", monitoring.phones.addressCount, IdentityResolver.mostAddresses),
            ("addresses with readings", monitoring.readings.count, RegionMonitoring.mostReadings),
            ("beacons received", monitoring.nearby.count, NearbyTable.capacity),
            ("beacons monitored", monitor.beaconCount, monitor.settings.memberLimit + RegistryReplica.mostEntries),
            ("beacons of wildcard regions", monitor.members, monitor.settings.memberLimit),
            ("beacons ranged", monitoring.board.count, monitor.settings.memberLimit + RegistryReplica.mostEntries),
            ("registry items", registry.items.count, RegistryReplica.mostEntries),
            ("registry regions", registry.regions.count, RegistryReplica.mostEntries),
            ("outputs", effects.outputs.count, 0),
        ]
    }
}
