import Archive
import EventLogs
import GatewayCore
import Linux
import Synchronization

/// A gateway's state folder, which one thread at a time writes.
final class GatewayDisk: Sendable {
    private struct State {
        let archive: EventArchive
        var counter: BootCounter
        var states: TwinFile
    }

    private let folder: StateFolder
    private let state: Mutex<State>

    init(_ folder: StateFolder, _ counter: BootCounter, states: TwinFile) {
        self.folder = folder
        state = Mutex(State(archive: EventArchive(in: folder), counter: counter, states: states))
    }

    func perform(_ step: EventWriter.Step) -> EventWriter.Outcome { state.withLock { $0.archive.perform(step) } }

    /// The events of a span; `nil` where the disk cannot be read now, or is being written.
    func read(_ span: EventSpan, by catalogue: Catalogue) -> [Entry]? {
        state.withLockIfAvailable { $0.archive.read(span, by: catalogue) } ?? nil
    }

    /// Writes a file; returns why it could not be written, if so.
    func replace(_ file: GatewayFile, with bytes: [UInt8]) -> String? {
        state.withLock { state in
            do throws(SystemError) {
                switch file {
                case .count:
                    state.counter.keep(in: folder)
                    if let problem = state.counter.problem { throw problem }
                case .states: try state.states.write(bytes)
                case .registry, .silences, .discovery, .settings: try folder.replace(file.rawValue, with: bytes)
                }
                return nil
            } catch {
                return problem(error, with: file)
            }
        }
    }

    /// Why a file could not be written, in words.
    func problem(_ error: SystemError, with file: GatewayFile) -> String {
        file == .discovery ? "\(error)" : error.sentence(ofState: folder)
    }
}
