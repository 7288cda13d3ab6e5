import Beacons

/// For how long a retained message holds; the same is its expiry at the broker. Readers count from when they received it.
public enum Validity {
    /// Of `info` and of a region's `state`, in seconds: two and a half times the 30 s at which they come again.
    public static let heartbeatSeconds: UInt32 = 75

    /// Of a ranged state that comes again at least every `heartbeat`, in whole seconds: 2.5 times that, rounded up, at least 1.
    public static func rangedSeconds(heartbeat: Interval) -> UInt32 {
        let seconds = (heartbeat.seconds * 2.5).rounded(.up)
        return UInt32(max(1, min(Double(longest), seconds)))
    }

    /// The longest that a reader believes, in seconds: a week.
    static let longest: UInt32 = 604_800
}

extension Fields {
    /// `valid_for_s`: from a second to a week.
    mutating func validity() throws(PayloadRefusal) -> UInt32 {
        try count("valid_for_s", in: 1...Validity.longest)
    }
}
