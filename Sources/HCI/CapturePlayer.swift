import Beacons

/// Plays a btsnoop recording: says when the next event is due, and hands it over then, at the pace at which it was recorded.
///
/// It holds one piece of the file at a time: `advance` says when it needs the next.
///
/// What keeps the recordings of several gateways in step is `startAt` alone, the same moment for all: it is `beginning`, and every record
/// lies as far from it as it was recorded. That holds only without `gapLimit`: a pause of one file is not one of the others, and
/// shortening it would let that gateway run ahead. And it holds until the end: a loop begins again at the end of its own file.
public struct CapturePlayer: Sendable {
    /// How fast it plays.
    public enum Speed: String, CaseIterable, Sendable {
        /// As it was recorded.
        case recorded
        /// At once, whatever the clock says. Each event has the instant that it would have been due at, so that those run ahead of the clock.
        /// A loop never waits then: whoever drives it has other things to do between two pieces of the file.
        case fast
    }

    /// What happens when the recording is over.
    public enum AtEnd: String, CaseIterable, Sendable {
        /// So is the player.
        case stop
        /// The radio is still there, and nothing comes any more.
        case silence
        /// It begins again where it began, a second after its last event.
        case loop
    }

    /// How a recording is played.
    public struct Settings: Hashable, Sendable {
        /// How fast.
        public var speed: Speed
        /// Longer pauses are shortened to this; `nil`: none is.
        public var gapLimit: Interval?
        /// This moment of the recording is the player's beginning, and what stands before it is skipped; `nil`: its first event is.
        public var startAt: WallTime?
        /// What happens when it is over.
        public var atEnd: AtEnd

        /// Settings with all their properties.
        public init(
            speed: Speed = .recorded, gapLimit: Interval? = nil, startAt: WallTime? = nil, atEnd: AtEnd = .stop
        ) {
            self.speed = speed
            self.gapLimit = gapLimit
            self.startAt = startAt
            self.atEnd = atEnd
        }
    }

    /// What the player waits for.
    public enum Progress: Hashable, Sendable {
        /// For `nextDeadline`, or for nothing any more.
        case waiting
        /// For the next piece of the file: `feed`, or `finish` if there is none.
        case needsBytes
        /// For the file's first piece, once more.
        case needsRewind
        /// It is over; `problem` says if that was not the file's end.
        case ended
    }

    /// What is wrong with the recording, if anything; what stood before it was played.
    public private(set) var problem: BtsnoopProblem?
    /// How many events were played.
    public private(set) var played: UInt64 = 0
    /// How many events stood before `startAt`.
    public private(set) var skipped: UInt64 = 0

    private let settings: Settings
    private let beginning: Instant
    private var reader = BtsnoopReader()
    private var pace: CapturePace
    private var isSkipping: Bool
    /// When the event is due that the reader stands at; `nil` if it stands at none.
    private var due: Instant?
    private var playedBeforeLoop: UInt64 = 0
    private var isOver = false

    /// A player that begins at `beginning`, which is when the process did if it is to be in step with others.
    public init(_ settings: Settings, at beginning: Instant) {
        self.settings = settings
        self.beginning = beginning
        pace = CapturePace(from: settings.startAt, at: beginning, gapLimit: settings.gapLimit)
        isSkipping = settings.startAt != nil
    }

    /// When `advance` wants to be called, in the past if at once; `nil`: never again.
    ///
    /// A driver in virtual time needs no `Speed.fast`: it jumps from one deadline to the next.
    public var nextDeadline: Instant? {
        if isOver { return nil }
        return settings.speed == .fast ? beginning : due ?? pace.last
    }

    /// Takes the next piece of the file, when `advance` has asked for it.
    public mutating func feed(_ piece: RawSpan) { reader.feed(piece) }

    /// Says that there is no more of the file.
    public mutating func finish() { reader.finish() }

    /// Plays what is due at `now`, in order: each event without H4's indicator, with the instant that it was due at, which never goes back.
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
                case .event(let time): take(time)
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

    private mutating func take(_ time: CaptureTime) {
        if isSkipping, let startAt = settings.startAt, time < CaptureTime(startAt) {
            skipped += 1
        } else {
            isSkipping = false
            due = pace.play(time)
        }
    }

    /// Ends this pass; whether there shall be another. A pass that played nothing is the last: it would be the same for ever.
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
