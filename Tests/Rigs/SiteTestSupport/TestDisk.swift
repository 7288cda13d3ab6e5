import Beacons
import Delivery
import EventLogs
import Messages
import SiteCore

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

    /// A disk without files.
    package init(storesFiles: Bool = true) { self.storesFiles = storesFiles }

    /// The site that the files hold; `nil` if there is none.
    package static func stored(_ files: [String: [UInt8]]) throws -> StoredSite? {
        try files["site.json"].map { try StoredSite(parsing: $0).applying(log: files["site.log"] ?? []).site }
    }

    /// Carries out an action that concerns the disk, and reports the outcome; returns whether the action is one.
    package mutating func carryOut(
        _ action: SiteDriver.Action, for driver: inout SiteDriver, at moment: Moment
    ) -> Bool {
        switch action {
        case .write(.open): driver.handle(.wrote(disk.perform(.open)), at: moment)
        case .write(let step): driver.handle(.wrote(storesFiles ? disk.perform(step) : .done), at: moment)
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

    /// The events of a span that are on the disk.
    package func read(_ span: EventSpan, by catalogue: Catalogue) -> [Entry]? { disk.read(span, by: catalogue) }

    private mutating func wrote(
        _ file: SiteFile, _ problem: String?, _ count: Int, for driver: inout SiteDriver, at moment: Moment
    ) {
        if problem == nil { (bytesWritten, writes) = (bytesWritten + count, writes + 1) }
        driver.handle(.replaced(file, problem: problem), at: moment)
    }
}
