import Beacons

/// From the time of a recording to the time it is played at.
struct CapturePace: Sendable {
    /// A clock that goes back by less than this is none: records of several adapters, or threads, were written in another order.
    private static let disorder = Interval.milliseconds(1000)
    /// Between the end and the beginning that follows it. Without it a recording of a single moment would play for ever at one instant.
    private static let pauseBetweenLoops = Interval.milliseconds(1000)
    /// Beyond a century from its beginning it goes no further: a file may claim any time, and instants must stay such that one can reckon with them.
    private static let longest = Interval.seconds(36_525 * 86_400)

    /// When what came last is played, or the beginning.
    private(set) var last: Instant
    private let end: Instant
    private let gapLimit: Interval?
    /// A moment of the recording, and when that is played; every other one lies as far from it, until a pause is cut or the clock goes back.
    private var anchor: (recorded: CaptureTime, played: Instant)?

    /// Plays `start` at `beginning`, and what is recorded first if that is `nil`.
    init(from start: WallTime?, at beginning: Instant, gapLimit: Interval?) {
        last = beginning
        end = beginning + Self.longest
        self.gapLimit = gapLimit.map { max($0, .zero) }
        anchor = start.map { (CaptureTime($0), beginning) }
    }

    /// Begins the recording again: plays `start`, or what is recorded first, after a pause.
    mutating func begin(again start: WallTime?) {
        last = min(end, last + Self.pauseBetweenLoops)
        anchor = start.map { (CaptureTime($0), last) }
    }

    /// When something is played that was recorded at `time`, after all that was asked for before: never earlier than that.
    mutating func play(_ time: CaptureTime) -> Instant {
        let (recorded, played) = anchor ?? (time, last)
        var due = min(end, played + (time - recorded))
        if anchor == nil { anchor = (time, last) }
        if due < last {
            // A clock that was set back: what follows keeps its pace from here.
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
