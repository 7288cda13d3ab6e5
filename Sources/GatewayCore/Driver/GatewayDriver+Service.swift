import Beacons
import Delivery
import Messages

/// The gateway service's access to the driver, beside inputs and actions.
extension GatewayDriver {
    package var radioState: RadioState { pipeline.status.radio.state }

    /// Whether the recording is over.
    package var hasEnded: Bool { pipeline.status.radio.hasEnded }

    package var isConnected: Bool { messenger.isConnected }

    package var undelivered: Int { pipeline.log.undelivered }

    package var waiting: Int { messenger.waiting }

    /// Every table that can grow, by name, with its limit. The fleet simulator checks them after every step.
    package var tables: [(name: String, count: Int, limit: Int)] {
        let states = ("states behind events", messenger.held, RegistryReplica.mostEntries + HeldStates.mostCleared)
        return pipeline.tables + [states, ("topics to clear", uncleared.count, HeldStates.mostCleared)]
    }

    /// Whether no beacon is ranged at the moment, and none may exit.
    package var isQuiet: Bool { pipeline.monitoring.board.count == 0 && !pipeline.monitor.awaitsExits }

    package mutating func recognise(_ keys: IdentityKeys) { pipeline.recognise(keys) }

    /// Reports a problem from the start on, with the first `info`.
    package mutating func begin(with problem: String) { pipeline.status.replace(problem: nil, by: problem) }

    /// Replaces the problem `old` in `info` by `new`, and publishes `info` at once.
    package mutating func replace(problem old: String?, by new: String?, at moment: Moment) {
        pipeline.replace(problem: old, by: new, at: moment)
    }

    /// Records what was measured of the machine: it is published with the next `info`, a power supply that is too weak at once.
    package mutating func note(_ machine: GatewayInfo.Machine, at moment: Moment) { pipeline.note(machine, at: moment) }

    /// Publishes the counters as telemetry.
    ///
    /// - Parameters:
    ///   - processorTime: the processor time of the process since its start.
    ///   - residentBytes: the memory of the process.
    ///   - radio: the counters of the radio's own decoder.
    package mutating func publishTelemetry(
        processorTime: Interval, residentBytes: Int, radio: ScanCounters, at moment: Moment
    ) {
        let readings = TelemetryMeter.Readings(
            processorTime: processorTime, residentBytes: residentBytes, radio: radio, outbox: undelivered,
            reconnects: reconnects)
        pipeline.publishTelemetry(readings, at: moment)
    }

    /// Applies a configuration while the gateway runs.
    ///
    /// - Returns: the tables and keys that changed as well, and take effect at the next start.
    package mutating func reload(_ configuration: GatewayConfiguration, at moment: Moment) -> [String] {
        pipeline.reload(configuration.with(self.configuration.changed), at: moment)
    }

    /// The gateway's state in one sentence, for the supervisor.
    package var status: String {
        let reception: String
        switch pipeline.status.radio.state {
        case .poweredOn:
            let since = pipeline.effects.now.instant - NearbyTable.memory
            let count = pipeline.monitoring.nearby.received(since: since).count
            reception = "Receives \(count) beacon\(count == 1 ? "" : "s") in \(pipeline.configuration.room)"
        default: reception = "Receives nothing: \(pipeline.status.radio.reason)"
        }
        let broker = configuration.broker.endpoint
        let waiting = pipeline.log.undelivered
        let connection =
            messenger.isConnected
            ? "connected to \(broker)"
            : "no connection to \(broker)" + (waiting == 0 ? "" : ", \(waiting) events wait")
        return ([reception, connection] + [pipeline.status.diskProblem].compactMap { $0 }).joined(separator: "; ")
    }
}
