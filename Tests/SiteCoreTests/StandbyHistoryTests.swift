import Messages
import Testing

/// What a reader of the event logs of two aggregators gets, of which each has the events that it published itself.
struct StandbyHistoryTests {
    /// Reads what the logs of all aggregators have behind a cursor, as the history does.
    private func read(_ pair: inout SharedSite, from cursor: inout LogCursor) throws -> [EventID] {
        var events: [EventID] = []
        for name in pair.members.keys.sorted() where pair.members[name]?.isStopped == false {
            var isMore = true
            while isMore {
                let before = pair.responses.count
                let body = HistoryRequest(after: cursor, aggregator: name)
                pair.deliver(.aggregatorRequest(what: "history"), Request.bytes(of: body, transaction: .string("1")))
                pair.advance(to: pair.now + 1)
                let responses = pair.responses[before...].filter { $0.topic == .aggregatorResponse(what: "history") }
                try #require(responses.count == 1, "one of them responds to what names \(name)")
                guard
                    case .done(let page) = try Response<HistoryResponse>(parsing: responses.last!.payload).outcome
                else { throw Failed() }
                if let last = page.events.last { cursor.note(last.id) }
                events += page.events.map(\.id)
                isMore = page.more
            }
        }
        return events
    }

    private struct Failed: Error {}

    @Test func `a reader has each event of both once, whichever is active, also after failures of each`()
        throws
    {
        var pair = SharedSite(pair: "left", "right")
        pair.advance(to: 8)
        var (cursor, events) = (LogCursor(), [EventID]())
        for round in 0..<6 {
            pair.gateway("hall", room: "Hall")
            pair.bag(.enter, at: "hall")
            pair.advance(to: pair.now + 30)
            pair.bag(.exit, at: "hall")
            pair.advance(to: pair.now + 60)
            // Every other round nobody reads before the active one is paused.
            if round % 2 == 0 { events += try read(&pair, from: &cursor) }
            let active = try #require(pair.active.first)
            pair.stop(active)
            pair.advance(to: pair.now + 20)
            pair.resume(active)
            pair.advance(to: pair.now + 20)
        }
        events += try read(&pair, from: &cursor)
        let published = pair.published.compactMap { _, topic, payload -> EventID? in
            guard case .itemEvent = topic else { return nil }
            return try? ItemEvent(parsing: payload).id
        }
        #expect(Set(published.map(\.boot)).count == 2, "\(published)")
        #expect(events.count == Set(events).count, "\(events)")
        #expect(Set(events).isSuperset(of: published), "\(events) \(published)")
    }

    @Test func `responses of a standby are no sign of life of the active one`() throws {
        var pair = SharedSite(pair: "left", "right")
        pair.advance(to: 8)
        let first = try #require(pair.active.first)
        let other = first == "left" ? "right" : "left"
        pair.stop(first)
        for _ in 0..<15 {
            let request = HistoryRequest(aggregator: other)
            pair.deliver(.aggregatorRequest(what: "history"), Request.bytes(of: request, transaction: .string("1")))
            pair.advance(to: pair.now + 1)
        }
        #expect(pair.active == [other])
    }
}
