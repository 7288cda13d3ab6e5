import EventLogs
import Linux
import Synchronization

/// A service's state folder, which one thread at a time writes, with what else only that thread changes.
package final class StateDisk<Owned>: Sendable {
    package let folder: StateFolder
    private let disk: Mutex<(archive: EventArchive, owned: Owned)>

    package init(_ folder: StateFolder, _ owned: sending Owned) {
        self.folder = folder
        disk = Mutex((EventArchive(in: folder), owned))
    }

    package func perform(_ step: EventWriter.Step) -> EventWriter.Outcome {
        disk.withLock { $0.archive.perform(step) }
    }

    /// The events of a span; `nil` where the disk cannot be read now, or is being written.
    package func read(_ span: EventSpan, by catalogue: Catalogue) -> [Entry]? {
        disk.withLockIfAvailable { $0.archive.read(span, by: catalogue) } ?? nil
    }

    /// Writes; returns why that failed, in the words of `sentence`, if so.
    package func write(
        _ sentence: (SystemError) -> String, _ work: (inout Owned) throws(SystemError) -> Void
    ) -> String? {
        disk.withLock { disk in
            do throws(SystemError) {
                try work(&disk.owned)
                return nil
            } catch {
                return sentence(error)
            }
        }
    }
}
