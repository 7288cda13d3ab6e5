import Beacons
import Glibc

/// The file system of a path.
package enum Disk {
    /// How long a write may take, besides the time for its bytes.
    package static let longestWrite = Interval.seconds(5)
    /// The bytes a second that a disk takes at least: a tenth of what a card of class 10 promises.
    private static let leastRate = 1 << 20

    package static func longestWrite(of bytes: Int) -> Interval {
        longestWrite + .milliseconds(Int64(bytes) * 1000 / Int64(leastRate))
    }

    /// The number of bytes that this user can still write to the file system of `path`; `nil` if unknown.
    package static func freeBytes(at path: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }
}
