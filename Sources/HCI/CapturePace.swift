import Beacons

/// Converts the times of a recording to the times of playing.
struct CapturePace: Sendable {
    /// Smaller steps back are not a change of the clock: several adapters or threads may write their records out of
    /// order.
    private static let disorder = Interval.milliseconds(1000)
    /// The pause between two loops. Without it, a recording of a single moment would loop forever at one instant.
    private static let pauseBetweenLoops = Interval.milliseconds(1000)
    /// The longest offset from the beginning, a century. A file may contain any time, and arithmetic on instants must
    /// not overflow.
    private static let longest = Interval.seconds(36_525 * 86_400)

    /// The instant of the last played event, or the beginning.
    private(set) var last: Instant
    private let end: Instant
    private let gapLimit: Interval?
    /// A time of the recording and its instant of playing. Other times keep their distance to it, until a pause is cut
    /// or the clock goes back.
    private var anchor: (recorded: CaptureTime, played: Instant)?

    /// Plays `start`, or the first event if `start` is `nil`, at `beginning`.
    init(from start: WallTime?, at beginning: Instant, gapLimit: Interval?) {
        last = beginning
        end = beginning + Self.longest
        self.gapLimit = gapLimit.map { max($0, .zero) }
        anchor = start.map { (CaptureTime($0), beginning) }
    }

    /// Restarts the recording: plays `start` or the first event after a pause.
    mutating func begin(again start: WallTime?) {
        last = min(end, last + Self.pauseBetweenLoops)
        anchor = start.map { (CaptureTime($0), last) }
    }

    /// The instant at which to play an event recorded at `time`. Instants never decrease from call to call.
    mutating func play(_ time: CaptureTime) -> Instant {
        let (recorded, played) = anchor ?? (time, last)
        var due = min(end, played + (time - recorded))
        if anchor == nil { anchor = (time, last) }
        if due < last {
            // The recording's clock was set back, so later events keep their pace from here.
            if last - due > Self.disorder { anchor = (time, last) }
            due = last
        } else if let gapLimit, due - last > gapLimit {
            due = last + gapLimit
            anchor = (time, due)
        }
        last = due
        return due
    }
}
