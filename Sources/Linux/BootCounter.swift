import Beacons
import Glibc

/// A counter of the starts of a service, stored on disk. The counter is durable (fsync) before the first event is
/// numbered, so two starts never share a number, even after a power cut.
package struct BootCounter: Sendable {
    /// The number of this start, from 1.
    package let epoch: UInt32
    /// Why the counter could not be read or stored; `nil` if it is stored. An unstored number may be used again by another
    /// start.
    package private(set) var problem: SystemError?

    /// Counts this start in `folder`. An unreadable counter restarts at 1. If the counter cannot be read or written,
    /// `problem` has the reason.
    package init(in folder: StateFolder) {
        var (last, unread) = (UInt32(0), SystemError?.none)
        do throws(SystemError) { last = try Self.read(in: folder) } catch { unread = error }
        epoch = last &+ 1
        keep(in: folder)
        problem = problem ?? unread
    }

    /// Retries to store the counter.
    ///
    /// If the folder returns with a higher count, the higher count stays.
    package mutating func keep(in folder: StateFolder) {
        problem = nil
        do throws(SystemError) {
            try folder.replace("boot", with: Array("\(max(epoch, Self.last(in: folder)))\n".utf8))
        } catch {
            problem = error
        }
    }

    /// Raises the counter in a folder of a backup before the folder is used: the site went on after the backup, and its later starts have numbers
    /// that the backup does not know. A start that took such a number again could give a new event the id of an old one.
    ///
    /// The service starts at most once a second, so that the seconds since the backup are more than its starts. If the clock is behind the
    /// backup, a year stands for them.
    ///
    /// - Parameter former: the folder that was used until now.
    package static func raise(in folder: StateFolder, after former: StateFolder, since backup: WallTime)
        throws(SystemError)
    {
        let seconds = Int64((Clock.wall - backup).seconds)
        let starts = UInt64(seconds < 0 ? 365 * 86_400 : seconds) + 100
        let number = max(UInt64(last(in: folder)) + starts, UInt64(last(in: former)))
        // In place, because the file's owner is the service.
        let file = try openOwnFile(folder.file("boot"), O_WRONLY | O_TRUNC, "write")
        try writeAll(Array("\(min(number, UInt64(UInt32.max)))\n".utf8), to: file.number, path: folder.file("boot"))
    }

    private static func last(in folder: StateFolder) -> UInt32 { (try? read(in: folder)) ?? 0 }

    private static func read(in folder: StateFolder) throws(SystemError) -> UInt32 {
        do throws(SystemError) {
            let contents = try readFile(at: folder.file("boot"), limit: 64)
            return UInt32(String(decoding: contents, as: UTF8.self).filter(\.isNumber)) ?? 0
        } catch {
            guard error.code != ENOENT, error.code != ENOTDIR else { return 0 }
            let action = "read \(folder.file("boot")), so that run ids begin again at 1"
            throw SystemError(action, code: error.code, because: error.reason)
        }
    }
}
