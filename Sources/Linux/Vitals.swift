import Beacons
import Glibc

/// The resources that this process uses.
package enum Vitals {
    /// The resident memory in bytes; 0 if /proc is missing.
    package static var residentBytes: Int {
        guard let status = try? readFile(at: "/proc/self/statm", limit: 4096) else { return 0 }
        let pages = String(decoding: status, as: UTF8.self).split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return (pages ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    }
}
