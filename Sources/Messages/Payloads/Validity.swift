import Beacons

/// How long a retained message is valid. The broker's expiry has the same value. Readers count from the time of
/// arrival.
public enum Validity {
    /// The number of periods for which a message that is published periodically is valid.
    public static let periods = 2.5

    /// The validity of `info` and of a region's `state`, in seconds: ``periods`` times the 30 s at which they are published.
    public static let heartbeatSeconds: UInt32 = 75

    /// The validity of a ranged state that is published at least every `heartbeat`: ``periods`` times that, rounded up to whole
    /// seconds, at least 1.
    public static func rangedSeconds(heartbeat: Interval) -> UInt32 {
        let seconds = (heartbeat.seconds * periods).rounded(.up)
        return UInt32(max(1, min(Double(longest), seconds)))
    }

    /// The longest validity that a reader accepts, in seconds: a week.
    static let longest: UInt32 = 604_800
}

extension Fields {
    /// Reads `valid_for_s`, from 1 s to a week.
    mutating func validity() throws(PayloadRefusal) -> UInt32 {
        try count("valid_for_s", in: 1...Validity.longest)
    }
}
