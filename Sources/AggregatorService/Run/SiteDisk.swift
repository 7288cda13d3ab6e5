import Archive
import Glibc
import Linux
import SiteCore

extension StateDisk<BootCounter> {
    /// Writes a file; returns why it could not be written, if so. A site is worth nothing under a count of starts that is not on the disk.
    func replace(_ file: SiteFile, with bytes: [UInt8]) -> String? {
        write({ problem($0, with: file) }) { counter throws(SystemError) in
            if file == .site || file == .changes, counter.problem != nil {
                counter.keep(in: folder)
                if let problem = counter.problem { throw problem }
            }
            try folder.replace(file.rawValue, with: bytes)
            // Its lines belong to the former site, and may name what was removed.
            if file == .site { unlink(folder.file(SiteFile.changes.rawValue)) }
        }
    }

    /// Adds to a file; returns why that failed, if so.
    func append(_ bytes: [UInt8], to file: SiteFile) -> String? {
        write({ problem($0, with: file) }) { _ throws(SystemError) in try folder.append(bytes, to: file.rawValue) }
    }

    /// Why a file could not be written, in words.
    func problem(_ error: SystemError, with file: SiteFile) -> String {
        file == .site || file == .changes ? error.sentence(ofState: folder) : "\(error)"
    }
}
