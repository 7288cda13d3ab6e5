import GatewayCore
import Archive
import Glibc
import Linux
import Logging
import Messages

/// The files of the state folder, as a former process left them.
extension GatewayRun {
    /// What a former process left.
    static func stored(
        in folder: StateFolder, _ statesFile: inout TwinFile, countProblem: SystemError?, _ logger: Logger
    ) -> GatewayDriver.StoredFiles {
        let discovery = try? readFile(at: folder.file(GatewayFile.discovery.rawValue), limit: 1024)
        return GatewayDriver.StoredFiles(
            countProblem: countProblem?.sentence(ofState: folder),
            registry: read(.registry, in: folder, limit: StoredRegistry.limits.bytes, logger),
            states: statesFile.read(limit: StoredStates.limits.bytes).flatMap {
                parse($0, of: .states, in: folder, logger)
            },
            silences: read(.silences, in: folder, limit: StoredSilences.limits.bytes, logger),
            discovery: discovery.map { String(decoding: $0, as: UTF8.self) } ?? "",
            settings: read(.settings, in: folder, limit: 1 << 16, logger))
    }

    private static func read<Stored: Payload>(_ file: GatewayFile, in folder: StateFolder, limit: Int, _ logger: Logger)
        -> Stored?
    {
        do throws(SystemError) {
            return parse(try readFile(at: folder.file(file.rawValue), limit: limit), of: file, in: folder, logger)
        } catch {
            if error.code != ENOENT { logger.warning("\(error)") }
            return nil
        }
    }

    /// A damaged file is reported and ignored.
    private static func parse<Stored: Payload>(
        _ bytes: [UInt8], of file: GatewayFile, in folder: StateFolder, _ logger: Logger
    ) -> Stored? {
        do throws(PayloadRefusal) {
            return try Stored(parsing: bytes)
        } catch {
            let path = folder.file(file.rawValue)
            logger.warning("\(path) is damaged (\(error.name)): it is ignored and written again")
            return nil
        }
    }
}
