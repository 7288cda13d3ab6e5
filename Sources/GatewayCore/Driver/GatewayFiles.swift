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
    /// What was learned of the beacons' silences.
    case silences = "silences.json"
    /// Where discovery is published.
    case discovery = "home-assistant"
}

extension GatewayDriver {
    /// What a former process left in the state folder.
    package struct StoredFiles: Sendable {
        /// Why the count of starts could not be written, if so.
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

/// When which of a gateway's files is written, and what could not be.
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

    /// What is wrong with one of the files.
    var problem: String? { problems.min { $0.key.rawValue < $1.key.rawValue }?.value }

    /// When a file is to be written that is not due yet.
    var nextDeadline: Instant? {
        guard isLive else { return nil }
        return min(retryAt ?? schedule.statesAt, schedule.statesAt, schedule.silencesAt)
    }

    /// Lets time pass; whether the states are due, which the event log comes before: states that know of an event which the log does not
    /// have would swallow it.
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

    /// A file is to be written now.
    mutating func add(_ file: GatewayFile) {
        if !due.contains(file) { due.append(file) }
    }

    /// All files are to be written now, at the end.
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

    /// A file was written, or was not, for this reason; then it is tried again.
    mutating func wrote(_ file: GatewayFile, problem: String?, at now: Instant) {
        problems[file] = problem
        guard problem != nil else {
            pending.remove(file)
            return
        }
        if file == .states { schedule.couldNotWrite(at: now) }
        guard file == .count || file == .registry else { return }
        pending.insert(file)
        retryAt = retryAt ?? now + EventWriter.patience
    }
}
