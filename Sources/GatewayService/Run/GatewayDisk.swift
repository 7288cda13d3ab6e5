import Archive
import GatewayCore
import Linux

typealias GatewayDisk = StateDisk<(counter: BootCounter, states: TwinFile)>

extension GatewayDisk {
    /// Writes a file; returns why it could not be written, if so.
    func replace(_ file: GatewayFile, with bytes: [UInt8]) -> String? {
        write({ problem($0, with: file) }) { owned throws(SystemError) in
            switch file {
            case .count:
                owned.counter.keep(in: folder)
                if let problem = owned.counter.problem { throw problem }
            case .states: try owned.states.write(bytes)
            case .registry, .silences, .discovery, .components, .settings:
                try folder.replace(file.rawValue, with: bytes)
            }
        }
    }

    /// Why a file could not be written, in words.
    func problem(_ error: SystemError, with file: GatewayFile) -> String {
        file == .discovery ? "\(error)" : error.sentence(ofState: folder)
    }
}
