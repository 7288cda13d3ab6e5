import Beacons

/// The response to `request/events`. The events come only on `response/events`, so that no automation fires twice.
public struct EventsResponse: Body {
    /// The first requested events by number; at most `most`. `at` is corrected if the clock was set since the event.
    public var events: [LoggedEvent]
    /// The requested events that are lost, up to the last event of this response.
    public var forgotten: [SeqRange]
    /// Whether the log has more of the requested events.
    public var more: Bool
    /// The writer's own clock when it responded; `nil` from a writer that does not report it.
    public var now: Uptime?

    /// A moment on the clock of one run.
    public struct Uptime: Hashable, Sendable {
        /// The run.
        public var boot: Boot
        /// The time since the run began.
        public var uptime: Instant

        /// A moment with all its properties.
        public init(boot: Boot, uptime: Instant) {
            self.boot = boot
            self.uptime = uptime
        }
    }

    /// The limit of events in one response.
    public static let most = 100

    /// Creates a response; more than `most` events are a programming error.
    public init(events: [LoggedEvent], forgotten: [SeqRange] = [], more: Bool = false, now: Uptime? = nil) {
        precondition(events.count <= Self.most, "a response has at most \(Self.most) events")
        self.events = events
        self.forgotten = forgotten
        self.more = more
        self.now = now
    }

    /// Writes the members in the order of the reference.
    public func writeFields(to json: inout JSONWriter) {
        json.array("events") { json in for event in events { event.write(to: &json) } }
        json.array("forgotten") { json in
            for range in forgotten { json.object { json in range.writeFields(to: &json) } }
        }
        json.field("more", more)
        if let now {
            json.object("now") { json in
                json.field("boot", now.boot.description)
                json.field("uptime_ms", now.uptime.milliseconds)
            }
        }
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        events = try fields.array("events", limit: Self.most) { (element) throws(PayloadRefusal) in
            guard let object = element.object else { throw .wrongType("events") }
            return try LoggedEvent(object)
        }
        forgotten = try fields.array("forgotten", limit: 1000) { (element) throws(PayloadRefusal) in
            var range = try Fields(element, of: "forgotten")
            return try SeqRange(reading: &range)
        }
        more = try fields.optionalBool("more") ?? false
        if let object = try fields.optionalObject("now") {
            var fields = Fields(object)
            now = Uptime(boot: try fields.boot("boot"), uptime: try fields.uptime())
        }
    }
}
