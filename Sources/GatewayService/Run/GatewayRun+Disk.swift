import Archive
import Beacons
import Broker
import Glibc
import Journal
import Linux
import Messages

/// What survives a restart: the count of starts, the registry, the event log, what is inside, and what was learned.
extension GatewayRun {
    /// Takes up where the last process was.
    mutating func restore() {
        if !note(counter.problem, of: "boot") { owed.insert(.count) }
        let registry: KeptRegistry? = read("registry.json", limit: KeptRegistry.limits.bytes)
        if let registry { pipeline.restore(registry) }
        keepEvents()
        guard case .live = time else { return }
        // What the last one did not get to tell the disk of its states, its log tells.
        let states: KeptStates? = statesFile.read(limit: KeptStates.limits.bytes).flatMap { parse($0, of: "states") }
        let silences: KeptSilences? = read("silences.json", limit: KeptSilences.limits.bytes)
        pipeline.restore(
            states, silences, events: pipeline.events(after: states, read: delivery.archive.read), machine: machine)
    }

    /// What stands in a file of the state folder, if it is there.
    private func read<Kept: Payload>(_ name: String, limit: Int) -> Kept? {
        do throws(SystemError) {
            return parse(try readFile(at: folder.file(name), limit: limit), of: name)
        } catch {
            if error.code != ENOENT { logger.warning("\(error)") }
            return nil
        }
    }

    /// What is not what was written there is said and left out.
    private func parse<Kept: Payload>(_ bytes: [UInt8], of name: String) -> Kept? {
        do throws(PayloadRefusal) {
            return try Kept(parsing: bytes)
        } catch {
            logger.warning(
                "\(folder.file(name)) is not what was written there (\(error.name)): it is left out, and written anew")
            return nil
        }
    }

    // MARK: Writing

    /// When the disk is to be looked after again.
    var nextKeep: Instant? {
        guard case .live = time else { return nil }
        return [delivery.archive.nextDeadline(pipeline.log), retryAt, min(schedule.statesAt, schedule.silencesAt)]
            .compactMap { $0 }.min()
    }

    /// Writes the events that are due; before they are delivered.
    mutating func keepEvents() {
        delivery.archive.keep(&pipeline.log, writtenAt: pipeline.writtenAt, at: Clock.now)
        pipeline.note(diskProblem: delivery.archive.problem ?? fileProblems.min { $0.key < $1.key }?.value)
    }

    /// Writes everything else that is due.
    mutating func keepFiles() {
        let now = Clock.now
        if let retryAt, now >= retryAt { keepOwed() }
        guard case .live = time else { return }
        if pipeline.log.upcoming != upcoming {
            upcoming = pipeline.log.upcoming
            schedule.change(at: now)
        }
        if schedule.statesAreDue(at: now) { keepStates() }
        if now >= schedule.silencesAt { keepSilences() }
    }

    /// Writes everything, at the end.
    mutating func keepAll() {
        delivery.archive.finish(&pipeline.log, writtenAt: pipeline.writtenAt)
        keepOwed()
        guard case .live = time else { return }
        keepStates()
        keepSilences()
    }

    mutating func keepRegistry() {
        owed.insert(.registry)
        keepOwed()
    }

    private mutating func keepOwed() {
        retryAt = nil
        if owed.contains(.count) {
            counter.keep(in: folder)
            if note(counter.problem, of: "boot") { owed.remove(.count) }
        }
        if owed.contains(.registry), replace("registry.json", with: pipeline.registry.kept.bytes) {
            owed.remove(.registry)
        }
        if !owed.isEmpty { retryAt = Clock.now + EventArchive.patience }
    }

    private mutating func keepStates() {
        // The log first: states that know of an event which the log does not have would swallow it.
        delivery.archive.finish(&pipeline.log, writtenAt: pipeline.writtenAt)
        guard let states = pipeline.keptStates(machine: machine) else {
            return schedule.couldNotWrite(at: Clock.now)
        }
        let bytes = states.bytes
        schedule.wroteStates(bytes.count, at: Clock.now)
        do throws(SystemError) {
            try statesFile.write(bytes)
            note(nil, of: "states")
        } catch {
            note(error, of: "states")
            schedule.couldNotWrite(at: Clock.now)
        }
    }

    private mutating func keepSilences() {
        let silences = pipeline.keptSilences
        guard !silences.learned.isEmpty else { return schedule.wroteSilences(0, at: Clock.now) }
        let bytes = silences.bytes
        replace("silences.json", with: bytes)
        schedule.wroteSilences(bytes.count, at: Clock.now)
    }

    @discardableResult
    private mutating func replace(_ name: String, with bytes: [UInt8]) -> Bool {
        do throws(SystemError) {
            try folder.replace(name, with: bytes)
            return note(nil, of: name)
        } catch {
            return note(error, of: name)
        }
    }

    /// Takes note of how a file fared; whether it fared well.
    @discardableResult
    private mutating func note(_ error: SystemError?, of name: String) -> Bool {
        fileProblems[name] = error?.sentence(ofState: folder)
        if error != nil, retryAt == nil { retryAt = Clock.now + EventArchive.patience }
        return error == nil
    }
}

/// What could not be written yet, and is tried again.
enum Owed: Hashable, Sendable {
    case count
    case registry
}
