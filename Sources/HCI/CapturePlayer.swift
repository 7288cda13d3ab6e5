import Beacons

/// Plays a btsnoop recording at its recorded pace: reports when the next event is due, and delivers it then.
///
/// The player stores one piece of the file at a time; `advance` requests the next one.
///
/// To play recordings of several gateways in step, use the same `startAt` for all and no `gapLimit`. `startAt` is then
/// `beginning`, and every record keeps its distance to it. A shortened pause would let one gateway run ahead. The
/// recordings stay in step until the first loop, because each restarts at the end of its own file.
public struct CapturePlayer: Sendable {
    /// The speed of playing.
    public enum Speed: String, CaseIterable, Sendable {
        case recorded
        /// At once, independent of the clock. Events carry the instants at which they would be due, which run ahead of
        /// the clock. A loop does not wait either, so a caller must do other work between two pieces.
        case fast
    }

    /// The behaviour at the end of the recording.
    public enum AtEnd: String, CaseIterable, Sendable {
        case stop
        /// The radio stays on, but receives nothing more.
        case silence
        /// The recording restarts from its beginning, a second after its last event.
        case loop
    }

    /// The settings of a player.
    public struct Settings: Hashable, Sendable {
        /// The speed of playing.
        public var speed: Speed
        /// The longest pause, to which longer ones are shortened; `nil`: no limit.
        public var gapLimit: Interval?
        /// The time of the recording to play at the player's beginning, skipping earlier events; `nil`: the first
        /// event.
        public var startAt: WallTime?
        /// The behaviour at the end of the recording.
        public var atEnd: AtEnd

        package init(
            speed: Speed = .recorded, gapLimit: Interval? = nil, startAt: WallTime? = nil, atEnd: AtEnd = .stop
        ) {
            self.speed = speed
            self.gapLimit = gapLimit
            self.startAt = startAt
            self.atEnd = atEnd
        }
    }

    /// What the player needs next.
    public enum Progress: Hashable, Sendable {
        /// The player waits for `nextDeadline`, or for nothing if that is `nil`.
        case waiting
        /// The player needs the next piece of the file: call `feed`, or `finish` at the end of the file.
        case needsBytes
        /// The player needs the first piece of the file again.
        case needsRewind
        /// The recording is over; `problem` is set if it did not end at the end of the file.
        case ended
    }

    /// Why the recording could not be read to its end; the events before were played.
    public private(set) var problem: BtsnoopProblem?
    /// The number of played events.
    public private(set) var played: UInt64 = 0
    /// The number of events before `startAt`.
    public private(set) var skipped: UInt64 = 0

    private let settings: Settings
    private let beginning: Instant
    private var reader = BtsnoopReader()
    private var pace: CapturePace
    private var isSkipping: Bool
    /// When the current event of the reader is due; `nil` if there is none.
    private var due: Instant?
    private var playedBeforeLoop: UInt64 = 0
    private var isOver = false

    /// Creates a player that begins at `beginning`. To stay in step with others, use the start of the process.
    public init(_ settings: Settings, at beginning: Instant) {
        self.settings = settings
        self.beginning = beginning
        pace = CapturePace(from: settings.startAt, at: beginning, gapLimit: settings.gapLimit)
        isSkipping = settings.startAt != nil
    }

    /// When to call `advance`: at once if this is in the past; `nil`: never again.
    ///
    /// A caller in virtual time does not need `Speed.fast`, because it jumps from one deadline to the next.
    public var nextDeadline: Instant? {
        if isOver { return nil }
        return settings.speed == .fast ? beginning : due ?? pace.last
    }

    /// Appends the next piece of the file after `advance` has requested it.
    public mutating func feed(_ piece: RawSpan) { reader.feed(piece) }

    /// Marks the end of the file.
    public mutating func finish() { reader.finish() }

    /// Plays the events that are due at `now`, in order, without H4's indicator. Each event has the instant at which it
    /// was due; instants never decrease.
    public mutating func advance(to now: Instant, _ play: (RawSpan, Instant) -> Void) -> Progress {
        while !isOver {
            if let due {
                guard due <= now || settings.speed == .fast else { return .waiting }
                reader.withEvent { play($0, due) }
                played += 1
                self.due = nil
            }
            do throws(BtsnoopProblem) {
                switch try reader.next() {
                case .event(let time): schedule(time)
                case .needsBytes: return .needsBytes
                case .ended: if end() { return .needsRewind }
                }
            } catch {
                problem = error
                if end() { return .needsRewind }
            }
        }
        let isUnreadable = problem != nil && played + skipped == 0
        return settings.atEnd == .silence && !isUnreadable ? .waiting : .ended
    }

    private mutating func schedule(_ time: CaptureTime) {
        if isSkipping, let startAt = settings.startAt, time < CaptureTime(startAt) {
            skipped += 1
        } else {
            isSkipping = false
            due = pace.play(time)
        }
    }

    /// Ends a pass and returns whether another follows. After a pass without events there is none, because every
    /// further pass would be empty, too.
    private mutating func end() -> Bool {
        guard settings.atEnd == .loop, played > playedBeforeLoop else {
            isOver = true
            return false
        }
        playedBeforeLoop = played
        reader = BtsnoopReader()
        pace.begin(again: settings.startAt)
        isSkipping = settings.startAt != nil
        return true
    }
}
