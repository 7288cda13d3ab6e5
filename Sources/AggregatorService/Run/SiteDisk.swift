import Archive
import EventLogs
import Glibc
import Linux
import SiteCore
import Synchronization

/// The aggregator's state folder, which one thread at a time writes.
final class SiteDisk: Sendable {
    private struct State {
        let archive: EventArchive
        var counter: BootCounter
    }

    private let folder: StateFolder
    private let state: Mutex<State>

    init(_ folder: StateFolder, _ counter: BootCounter) {
        self.folder = folder
        state = Mutex(State(archive: EventArchive(in: folder), counter: counter))
    }

    func perform(_ step: EventWriter.Step) -> EventWriter.Outcome { state.withLock { $0.archive.perform(step) } }

    /// The events of a span; `nil` where the disk cannot be read now, or is being written.
    func read(_ span: EventSpan, by catalogue: Catalogue) -> [Entry]? {
        state.withLockIfAvailable { $0.archive.read(span, by: catalogue) } ?? nil
    }

    /// Writes a file; returns why it could not be written, if so. A site is worth nothing under a count of starts that is not on the disk.
    func replace(_ file: SiteFile, with bytes: [UInt8]) -> String? {
        write(file) { state throws(SystemError) in
            if file == .site || file == .changes, state.counter.problem != nil {
                state.counter.keep(in: folder)
                if let problem = state.counter.problem { throw problem }
            }
            try folder.replace(file.rawValue, with: bytes)
            // Its lines belong to the former site, and may name what was removed.
            if file == .site { unlink(folder.file(SiteFile.changes.rawValue)) }
        }
    }

    /// Adds to a file; returns why that failed, if so.
    func append(_ bytes: [UInt8], to file: SiteFile) -> String? {
        write(file) { _ throws(SystemError) in try folder.append(bytes, to: file.rawValue) }
    }

    /// Why a file could not be written, in words.
    func problem(_ error: SystemError, with file: SiteFile) -> String {
        file == .site || file == .changes ? error.sentence(ofState: folder) : "\(error)"
    }

    private func write(_ file: SiteFile, _ work: (inout State) throws(SystemError) -> Void) -> String? {
        state.withLock { state in
            do throws(SystemError) {
                try work(&state)
                return nil
            } catch {
                return problem(error, with: file)
            }
        }
    }
}
