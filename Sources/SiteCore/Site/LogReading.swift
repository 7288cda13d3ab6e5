import Beacons
import EventLogs
import Messages

/// Requests whose responses need the event log on disk: read a step at a time, so that a long log delays nothing else.
struct LogReading: Sendable {
    /// How many questions wait; more are refused.
    static let most = 32
    /// How many events are looked at in one step, all of one segment: a few milliseconds' work.
    static let step: UInt64 = 500
    /// Segments that were written so long before what is asked for are not read. An event is dated by a gateway's clock, which may be ahead
    /// of the clock by which the segment was written.
    static let margin = Interval.seconds(86_400)

    enum Question: Sendable {
        case events(Request)
        case history(History)
    }

    /// A response to `history` that is being gathered.
    struct History: Sendable {
        let request: Request
        /// Only events of this topic count; `nil`: all.
        let topic: String?
        let since: WallTime?
        /// The last event that was looked at.
        var place: Place?
        var page: [ItemEvent] = []
    }

    private var waiting: [Question] = []

    var isEmpty: Bool { waiting.isEmpty }
    var count: Int { waiting.count }

    mutating func add(_ question: Question) throws(Refused) {
        guard waiting.count < Self.most else {
            throw Refused("The log is being read for \(Self.most) other requests: ask again in a moment.")
        }
        waiting.append(question)
    }

    /// The question whose turn it is; who is not done with it adds it again, behind the others.
    mutating func removeFirst() -> Question? { waiting.isEmpty ? nil : waiting.removeFirst() }

    /// Adds a question again that was taken: there is room for it.
    mutating func putBack(_ question: Question) { waiting.append(question) }
}
