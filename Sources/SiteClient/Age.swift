import Beacons
import Glibc

extension Interval {
    /// The interval for people, in its largest unit: `12 s`, `5 min`, `3 h`, `4 d`.
    var age: String {
        let seconds = max(0, Int(self.seconds))
        return switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) d"
        }
    }
}

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
