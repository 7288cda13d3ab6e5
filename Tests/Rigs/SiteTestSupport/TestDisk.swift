import Beacons
import EventLogs
import Messages
import SiteCore

/// Where an event log is written.
package protocol EventLogDisk: Sendable {
    mutating func perform(_ step: EventWriter.Step) -> EventWriter.Outcome
    func read(_ span: EventSpan, by catalogue: Catalogue) -> [Entry]?
}

extension VirtualDisk: EventLogDisk {}

/// The disk of an aggregator that a test or a benchmark drives.
package struct TestDisk: Sendable {
    /// The disk, whose event log is written and never read if it stores nothing.
    private var disk = VirtualDisk()
    /// The contents of each file, by name.
    package var files: [String: [UInt8]] {
        get { disk.files }
        set { disk.files = newValue }
    }
    /// How often a process was started.
    package var boots: UInt32 {
        get { disk.boots }
        set { disk.boots = newValue }
    }
    /// Whether it takes nothing at present, and why.
    package var refusal: String? {
        get { disk.refusal }
        set { disk.refusal = newValue }
    }
    package var bytesWritten = 0
    package var writes = 0
    /// Whether the files are stored; without that, what is written is counted alone.
    private let storesFiles: Bool
    /// Another disk for the event log; `nil`: there is none.
    private var archive: (any EventLogDisk)?

    /// A disk without files.
    package init(storesFiles: Bool = true, archive: (any EventLogDisk)? = nil) {
        (self.storesFiles, self.archive) = (storesFiles, archive)
    }

    /// The site that the files hold; `nil` if there is none.
    package static func stored(_ files: [String: [UInt8]]) throws -> StoredSite? {
        try files["site.json"].map { try StoredSite(parsing: $0).applying(log: files["site.log"] ?? []).site }
    }

    /// Carries out an action that concerns the disk, and reports the outcome; returns whether the action is one.
    package mutating func carryOut(
        _ action: SiteDriver.Action, for driver: inout SiteDriver, at moment: Moment
    ) -> Bool {
        switch action {
        case .write(let step): driver.handle(.wrote(perform(step)), at: moment)
        case .read(let reading): driver.read(reading, by: read)
        case .replace(let file, let bytes):
            wrote(
                file, storesFiles ? disk.replace(file.rawValue, with: bytes) : nil, bytes.count, for: &driver,
                at: moment)
        case .append(let file, let bytes):
            let all = storesFiles ? disk.files[file.rawValue]! + bytes : []
            wrote(
                file, storesFiles ? disk.replace(file.rawValue, with: all) : nil, bytes.count, for: &driver, at: moment)
        default: return false
        }
        return true
    }

    private mutating func perform(_ step: EventWriter.Step) -> EventWriter.Outcome {
        if let outcome = archive?.perform(step) { return outcome }
        if case .open = step { return disk.perform(.open) }
        return storesFiles ? disk.perform(step) : .done
    }

    /// The events of a span that are on the disk.
    package func read(_ span: EventSpan, by catalogue: Catalogue) -> [Entry]? {
        (archive ?? disk).read(span, by: catalogue)
    }

    private mutating func wrote(
        _ file: SiteFile, _ problem: String?, _ count: Int, for driver: inout SiteDriver, at moment: Moment
    ) {
        if problem == nil { (bytesWritten, writes) = (bytesWritten + count, writes + 1) }
        driver.handle(.replaced(file, problem: problem), at: moment)
    }
}
