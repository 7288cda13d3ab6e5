import Beacons
import Glibc

/// The file system of a path.
package enum Disk {
    /// How long a write may take.
    package static let longestWrite = Interval.seconds(5)

    /// The number of bytes that this user can still write to the file system of `path`; `nil` if unknown.
    package static func freeBytes(at path: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }
}
