import Beacons
import EventLogs

/// A file of a gateway's state folder.
package enum GatewayFile: String, Sendable {
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

        /// The content of all files.
        package init(
            countProblem: String? = nil, registry: StoredRegistry?, states: StoredStates?, silences: StoredSilences?,
            discovery: String = ""
        ) {
            self.countProblem = countProblem
            self.registry = registry
            self.states = states
            self.silences = silences
            self.discovery = discovery
        }
    }
}

/// Schedules the writes of a gateway's files, and remembers which of them failed.
struct GatewayFiles: Sendable {
    private var schedule: StateSchedule
    private let isLive: Bool
    /// To be written now, in this order.
    private var due: [GatewayFile] = []
    /// The files that could not be written, and are retried.
    private var pending: Set<GatewayFile> = []
    private var retryAt: Instant?
    private var problems: [GatewayFile: String] = [:]
    /// The number of the next event when the states were last looked at.
    private var upcoming: UInt64 = 1

    init(isLive: Bool, at now: Instant) {
        schedule = StateSchedule(at: now)
        self.isLive = isLive
    }

    /// The problem of the first file that could not be written; `nil` if there is none.
    var problem: String? { problems.min { $0.key.rawValue < $1.key.rawValue }?.value }

    /// When the next file that is not due yet is to be written; `nil` if there is none.
    var nextDeadline: Instant? {
        guard isLive else { return nil }
        return min(retryAt ?? schedule.statesAt, schedule.statesAt, schedule.silencesAt)
    }

    /// Lets time pass; returns whether the states are due.
    ///
    /// The event log is written before the states. States that include an event that the log does not have would hide that event.
    mutating func areDue(upcoming: UInt64, at now: Instant) -> Bool {
        if let retryAt, now >= retryAt { addPending() }
        guard isLive else { return false }
        if upcoming != self.upcoming {
            self.upcoming = upcoming
            schedule.change(at: now)
        }
        if now >= schedule.silencesAt { add(.silences) }
        guard schedule.statesAreDue(at: now) else { return false }
        add(.states)
        return true
    }

    /// Makes a file due now.
    mutating func add(_ file: GatewayFile) {
        if !due.contains(file) { due.append(file) }
    }

    /// Makes all files due now, at the end.
    mutating func addAll() {
        addPending()
        guard isLive else { return }
        add(.states)
        add(.silences)
    }

    private mutating func addPending() {
        retryAt = nil
        for file in [GatewayFile.count, .registry] where pending.contains(file) { add(file) }
    }

    /// The next file to be written, and its content.
    mutating func next(of pipeline: GatewayPipeline, machine: String, at now: Instant) -> (GatewayFile, [UInt8])? {
        while !due.isEmpty {
            let file = due.removeFirst()
            switch file {
            // The counter knows its own content.
            case .count: return (file, [])
            case .registry: return (file, pipeline.registry.stored.bytes)
            case .discovery: return (file, Array((pipeline.discoveryTopic ?? "").utf8))
            case .states:
                guard let bytes = pipeline.storedStates(machine: machine)?.bytes else {
                    schedule.couldNotWrite(at: now)
                    continue
                }
                schedule.wroteStates(bytes.count, at: now)
                return (file, bytes)
            case .silences:
                let silences = pipeline.storedSilences
                let bytes = silences.learned.isEmpty ? [] : silences.bytes
                schedule.wroteSilences(bytes.count, at: now)
                if !bytes.isEmpty { return (file, bytes) }
            }
        }
        return nil
    }

    /// Records that a file was written, or why not; a failed write is repeated.
    mutating func wrote(_ file: GatewayFile, problem: String?, at now: Instant) {
        problems[file] = problem
        guard problem != nil else {
            pending.remove(file)
            return
        }
        if file == .states { schedule.couldNotWrite(at: now) }
        if file == .silences { schedule.couldNotWriteSilences(at: now) }
        guard file == .count || file == .registry else { return }
        pending.insert(file)
        retryAt = retryAt ?? now + EventWriter.patience
    }
}
