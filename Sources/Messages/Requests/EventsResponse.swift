import Beacons

/// The response to `request/events`. The events come only on `response/events`, so that no automation fires twice.
package struct EventsResponse: Body {
    /// The first requested events by number; at most `most`. `at` is corrected if the clock was set since the event.
    package var events: [LoggedEvent]
    /// The requested events that are lost, up to the last event of this response.
    package var forgotten: [SeqRange]
    /// Whether the log has more of the requested events.
    package var more: Bool
    /// The writer's own clock when it responded; `nil` from a writer that does not report it.
    package var now: Uptime?

    /// A moment on the clock of one run.
    package struct Uptime: Members {
        package var boot: Boot
        /// The time since the run began.
        package var uptime: Instant

        package init(boot: Boot, uptime: Instant) {
            self.boot = boot
            self.uptime = uptime
        }

        package func writeFields(to json: inout JSONWriter) {
            json.field("boot", boot)
            json.field("uptime_ms", uptime.milliseconds)
        }

        package init(reading fields: inout Fields) throws(PayloadRefusal) {
            boot = try fields.boot("boot")
            uptime = try fields.uptime()
        }
    }

    package static let most = 100

    /// Creates a response; more than `most` events are a programming error.
    package init(events: [LoggedEvent], forgotten: [SeqRange] = [], more: Bool = false, now: Uptime? = nil) {
        precondition(events.count <= Self.most, "a response has at most \(Self.most) events")
        self.events = events
        self.forgotten = forgotten
        self.more = more
        self.now = now
    }

    package func writeFields(to json: inout JSONWriter) {
        json.array("events") { json in for event in events { event.write(to: &json) } }
        json.array("forgotten", forgotten)
        json.field("more", more)
        json.object("now", now)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        events = try fields.array("events", limit: Self.most) { (element) throws(PayloadRefusal) in
            guard let object = element.object else { throw .wrongType("events") }
            return try LoggedEvent(object)
        }
        forgotten = try fields.entries("forgotten", limit: 1000)
        more = try fields.optionalBool("more") ?? false
        now = try fields.optionalEntry("now")
    }
}
