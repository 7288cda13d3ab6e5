import Archive
import Beacons
import Foundation
import EventLogs
import Linux

/// A service's log and its archive, and what a reader got of it: one process after the other in one folder.
struct ArchiveFixture {
    let folder: StateFolder
    var limits = EventWriter.Limits(bytes: 1 << 20, age: .seconds(86_400), within: .seconds(1))
    var archive: WrittenLog
    var log: EventLog {
        get { archive.writer.log }
        set { archive.writer.log = newValue }
    }
    var seconds = 1000.0
    private(set) var boots = 0
    /// What was published, and acknowledged.
    var delivered: [Entry] = []

    init(_ path: String, limits: EventWriter.Limits? = nil, boot: Int = 1) {
        folder = StateFolder(path: path)
        if let limits { self.limits = limits }
        archive = WrittenLog(EventLog(boot: "\(boot).aaaa"), in: folder, limits: self.limits)
        boots = boot
        keep()
    }

    /// The process is killed, and the next one begins.
    mutating func restart() {
        boots += 1
        archive = WrittenLog(EventLog(boot: "\(boots).aaaa"), in: folder, limits: limits)
        keep()
    }

    /// - Parameter padding: how much longer the payload is than its id.
    mutating func happen(_ count: Int = 1, padding: Int = 0) {
        let rest = String(repeating: " ", count: padding)
        for _ in 0..<count {
            archive.writer.log.append(
                topic: "forgetmenot/event", payload: Array((#"{"id":"\#(log.boot)-\#(log.upcoming)"}"# + rest).utf8))
        }
    }

    var moment: WrittenAt {
        WrittenAt(
            uptime: .zero + .seconds(seconds), wall: WallTime("2026-11-21T05:40:00Z")! + .seconds(seconds),
            isSynchronised: true)
    }

    mutating func keep(after pause: Double = 0) {
        seconds += pause
        archive.keep(writtenAt: moment, at: .zero + .seconds(seconds))
    }

    /// Publishes up to `most` events; each is acknowledged.
    mutating func deliver(_ most: Int = .max, acknowledging: Bool = true) {
        var count = 0
        while count < most {
            if let span = log.requested {
                guard let entries = archive.read(span, by: log.catalogue) else { return }
                log.supply(entries, for: span)
            }
            guard let entry = log.dequeue() else {
                guard log.requested != nil else { return }
                continue
            }
            count += 1
            guard acknowledging else { continue }
            log.acknowledge(entry.place)
            delivered.append(entry)
        }
    }

    /// The events of a run as a reader gets them that requests all.
    func events(of boot: String, _ range: ClosedRange<UInt64>) -> [String] {
        log.find(range, of: boot, most: .max).seqs
            .flatMap { archive.read(EventSpan(boot: boot, seqs: $0), by: log.catalogue) ?? [] }
            .map { String(decoding: $0.payload, as: UTF8.self) }
    }

    /// The files of the log, oldest first.
    var files: [String] {
        ((try? StateFolder(path: folder.file("events")).entries()) ?? []).filter { $0.hasSuffix(".log") }.sorted {
            Int($0.dropLast(4))! < Int($1.dropLast(4))!
        }
        .map { folder.file("events/" + $0) }
    }
}

/// A writer together with the disk that it writes to.
final class WrittenLog {
    fileprivate(set) var writer: EventWriter
    private let archive: EventArchive

    init(_ log: EventLog, in folder: StateFolder, limits: EventWriter.Limits) {
        writer = EventWriter(log, limits)
        archive = EventArchive(in: folder)
    }

    var problem: String? { writer.problem }
    private(set) var damage: String?

    var nextDeadline: Instant? { writer.nextDeadline }

    func keep(writtenAt: WrittenAt, at now: Instant) {
        while let step = writer.next(writtenAt: writtenAt, at: now) {
            let outcome = archive.perform(step)
            damage = outcome.damage ?? damage
            writer.handle(outcome, at: now)
        }
    }

    func read(_ span: EventSpan, by catalogue: Catalogue) -> [Entry]? {
        let entries = archive.read(span, by: catalogue)
        if entries == nil { writer.reopen() }
        return entries
    }
}

/// Runs `body` with the path of a new empty folder, and deletes it with all that is in it.
func withTemporaryFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "forgetmenot-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path)
}
