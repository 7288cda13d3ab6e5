import Beacons

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
