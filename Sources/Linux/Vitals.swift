import Beacons
import Glibc

/// What this process costs the machine.
public enum Vitals {
    /// Memory in use, in bytes; 0 where /proc is not there.
    public static var residentBytes: Int {
        guard let status = try? readFile(at: "/proc/self/statm", limit: 4096) else { return 0 }
        let pages = String(decoding: status, as: UTF8.self).split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return (pages ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    }
}
