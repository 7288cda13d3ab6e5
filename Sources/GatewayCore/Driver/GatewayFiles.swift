import Beacons
import Delivery
import EventLogs

/// A file of a gateway's state folder.
package enum GatewayFile: String, CaseIterable, Sendable {
    /// The count of starts.
    case count = "boot"
    /// The registry as it came from the broker.
    case registry = "registry.json"
    /// The states of beacons and regions.
    case states
    /// The learned silences of the beacons.
    case silences = "silences.json"
    /// The topic of the published discovery.
    case discovery = "home-assistant"
    /// The components of the published discovery.
    case components = "home-assistant-components"
    /// The settings that requests have changed.
    case settings = "settings.json"
}

extension GatewayDriver {
    /// The files of the state folder, as a former process wrote them.
    package struct StoredFiles: Sendable {
        /// Why the count of starts could not be written; `nil` if it was.
        var countProblem: String?
        var registry: StoredRegistry?
        var states: StoredStates?
        var silences: StoredSilences?
        var discovery: String
        var components: String
        var settings: ChangedSettings?

        package init(
            countProblem: String? = nil, registry: StoredRegistry?, states: StoredStates?, silences: StoredSilences?,
            discovery: String = "", components: String = "", settings: ChangedSettings? = nil
        ) {
            self.countProblem = countProblem
            self.registry = registry
            self.states = states
            self.silences = silences
            self.discovery = discovery
            self.components = components
            self.settings = settings
        }
    }
}

/// When which of a gateway's files is written, and with what.
struct GatewayFiles: Sendable {
    /// The greatest age of the states on disk while the write budget permits it, which is for 1 MB after the start. After that, states of few
    /// beacons are written every 6 min, and those of a thousand every hour. After a power cut, the last sightings are known as of then.
    private static let period = Interval.seconds(300)
    /// The delay from a change of the states to their write, and from a failed write to the next one.
    private static let delay = EventWriter.patience
    /// How often the learned silences are written.
    private static let silencesPeriod = Interval.seconds(6 * 3600)

    var schedule: FileSchedule<GatewayFile>
    /// The number of the next event when the states were last looked at; `nil`: the states are not written at all.
    private var upcoming: UInt64?
    /// The size of what was last written of each file, or is being written.
    private var sizes: [GatewayFile: Int] = [:]
    /// Whether the gateway has stopped, so that the states to be written are its last ones.
    private var isFinal = false

    init(isLive: Bool, at now: Instant) {
        schedule = FileSchedule(at: now)
        guard isLive else { return }
        upcoming = 1
        schedule.set(.states, at: now)
        schedule.set(.silences, at: now + Self.silencesPeriod)
    }

    /// Lets time pass; returns whether the states are due. If the card's write budget is spent, they wait.
    mutating func areDue(upcoming: UInt64, at now: Instant) -> Bool {
        if let former = self.upcoming, upcoming != former {
            self.upcoming = upcoming
            schedule.add(.states, at: now + Self.delay)
        }
        if let due = schedule[.states], due <= now { schedule.set(.states, at: schedule.budget.affordable(at: now)) }
        return schedule.advance(to: now).contains(.states)
    }

    /// Makes all files due that are written at the end.
    mutating func finish() {
        isFinal = true
        schedule.finish()
    }

    private mutating func spend(on file: GatewayFile, at now: Instant) {
        guard let bytes = sizes[file] else { return }
        if file == .states {
            schedule.budget.spend(overwriting: bytes, at: now)
        } else {
            schedule.budget.spend(replacing: bytes, at: now)
        }
    }

    mutating func next(of pipeline: GatewayPipeline, machine: String, at now: Instant) -> (GatewayFile, [UInt8])? {
        while let file = schedule.next() {
            switch file {
            // The counter knows its own content.
            case .count: return (file, [])
            case .registry: return (file, pipeline.registry.stored.bytes)
            case .settings: return (file, pipeline.configuration.changed.bytes)
            case .discovery: return (file, Array((pipeline.configuration.discoveryTopic ?? "").utf8))
            case .components: return (file, Array(pipeline.announcement.stored.utf8))
            case .states:
                guard let bytes = pipeline.storedStates(machine: machine, isFinal: isFinal)?.bytes else {
                    schedule.set(.states, at: now + Self.delay)
                    continue
                }
                sizes[file] = bytes.count
                schedule.set(.states, at: now + Self.period)
                return (file, bytes)
            case .silences:
                let silences = pipeline.storedSilences
                let bytes = silences.learned.isEmpty ? [] : silences.bytes
                sizes[file] = bytes.count
                schedule.set(.silences, at: now + Self.silencesPeriod)
                if !bytes.isEmpty { return (file, bytes) }
            }
        }
        return nil
    }

    /// Records that a file was written, or why not; a failed write is repeated. It costs nothing: otherwise a disk that was full for hours
    /// would remain a problem for long after it has room.
    mutating func wrote(_ file: GatewayFile, problem: String?, at now: Instant) {
        if problem == nil { spend(on: file, at: now) }
        schedule.wrote(file, problem: problem, retryAt: now + (file == .silences ? Self.period : Self.delay))
    }
}
