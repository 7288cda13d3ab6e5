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

    /// The bytes of `count` blocks, as file systems report them; at most 2^53, the largest number of a payload.
    package static func bytes(in count: UInt64, of size: UInt64) -> UInt64 {
        let product = count.multipliedReportingOverflow(by: size)
        return product.overflow ? 1 << 53 : min(product.partialValue, 1 << 53)
    }

    /// The number of bytes that this user can still write to the file system of `path`; `nil` if unknown.
    package static func freeBytes(at path: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return bytes(in: UInt64(status.f_bavail), of: UInt64(status.f_frsize))
    }
}
