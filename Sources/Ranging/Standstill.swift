import Beacons

/// How the beacons of a gateway fell silent before a time in which it receives nothing at all.
///
/// Interference and a bad antenna silence all beacons at one moment. Each was then received last about one of its mean gaps before
/// that moment. People who leave one after the other, or who walk out of range, spread the last sightings over many gaps, and the RSSI
/// falls before.
struct Standstill: Sendable {
    /// The least silence from which an outage follows.
    static let shortest = Interval.seconds(5)
    /// Beacons with longer mean gaps, in seconds, show no moment.
    private static let longestGap = 4.0
    /// A beacon that was silent for more of its mean gaps fell silent by itself.
    private static let mostGaps = 10.0
    /// The least number of beacons from which an outage follows.
    private static let fewest = 5
    /// In an outage, the silences before its begin last this number of mean gaps on average, at most.
    private static let longestMean = 1.25
    /// In an outage, the RSSI of at most this share of the beacons was low.
    private static let mostFaded = 0.25

    /// The last advertisement of anybody.
    let since: Instant
    private var beacons = 0
    private var others = 0
    private var faded = 0
    private var gaps = 0.0

    init(since: Instant) { self.since = since }

    /// Records one beacon that is inside.
    ///
    /// - Parameters:
    ///   - silence: How long before ``since`` the beacon was received last.
    ///   - gap: The mean time between two of its sightings, in seconds; 0 if it is not known.
    ///   - isFaded: Whether the RSSI was low at last.
    mutating func note(silence: Interval, every gap: Double, isFaded: Bool) {
        guard gap > 0, gap <= Self.longestGap else { return }
        let count = max(0, silence.seconds) / gap
        guard count <= Self.mostGaps else {
            others += 1
            return
        }
        beacons += 1
        gaps += count
        if isFaded { faded += 1 }
    }

    /// Whether the beacons fell silent at one moment.
    var isOutage: Bool {
        beacons >= Self.fewest && beacons >= others && gaps <= Self.longestMean * Double(beacons)
            && Double(faded) <= Self.mostFaded * Double(beacons)
    }
}
