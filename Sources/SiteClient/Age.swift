import Beacons
import Glibc

extension WallTime {
    /// The time for people, in the system's time zone: `2026-11-21 06:40:12`.
    var local: String {
        var time = time_t(milliseconds / 1000)
        var parts = tm()
        localtime_r(&time, &parts)
        let digits = [parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec].map {
            "\($0 < 10 ? "0" : "")\($0)"
        }
        return "\(parts.tm_year + 1900)-\(digits[0])-\(digits[1]) \(digits[2...].joined(separator: ":"))"
    }
}
