import Beacons
import Delivery
import EventLogs
import Messages
import SiteCore

/// The disk of an aggregator that a test or a benchmark drives. It never fails.
package struct TestDisk: Sendable {
    /// The disk, whose event log is written and never read if it stores nothing.
    private var disk = VirtualDisk()
    /// The contents of each file, by name.
    package var files: [String: [UInt8]] {
        get { disk.files }
        set { disk.files = newValue }
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
        case .read(let reading): driver.read(reading, by: disk.read)
        case .replace(let file, let bytes):
            if storesFiles { disk.files[file.rawValue] = bytes }
            wrote(file, bytes, for: &driver, at: moment)
        case .append(let file, let bytes):
            if storesFiles { disk.files[file.rawValue]! += bytes }
            wrote(file, bytes, for: &driver, at: moment)
        default: return false
        }
        return true
    }

    private mutating func wrote(_ file: SiteFile, _ bytes: [UInt8], for driver: inout SiteDriver, at moment: Moment) {
        (bytesWritten, writes) = (bytesWritten + bytes.count, writes + 1)
        driver.handle(.replaced(file, problem: nil), at: moment)
    }
}
