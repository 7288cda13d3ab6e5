import Beacons
import HTTPTypes
import History
import Hummingbird
import Linux
import Messages

extension Routes {
    /// The usual length of time that a request asks for.
    private static let usual = Interval.seconds(86_400)
    /// What `step` may be, in seconds.
    private static let steps = 60...86_400

    var historyRoutes: [Route] {
        [
            Route(.get, "api/v1/history", .reader, query: ["from", "to", "item", "limit", "cursor", "format", "step"]) {
                (call) throws(Refused) in
                let (from, to) = try Self.span(call)
                let limit = try call.number("limit", in: 1...HistoryStore.most) ?? HistoryStore.most
                var place: HistoryStore.Place?
                if let cursor = call.query["cursor"] {
                    place = HistoryStore.Place(cursor)
                    guard place != nil else { throw Refused(.badRequest, "\"cursor\" is not one of a response.") }
                }
                let item = call.query["item"]
                let step = try call.number("step", in: Self.steps).map { Interval.seconds(Double($0)) }
                if let step, (to - from).seconds / step.seconds > Double(HistoryStore.mostSteps) {
                    throw Refused(
                        .badRequest,
                        "\"from\" to \"to\" has more than \(HistoryStore.mostSteps) steps: ask for less time or a longer \"step\"."
                    )
                }
                let page = try await reading {
                    guard let step else {
                        return try await history().stays(of: item, from: from, to: to, limit: limit, after: place)
                    }
                    return try await history().strips(
                        of: item, from: from, to: min(to, Clock.wall), step: step, limit: limit,
                        after: place)
                }
                let format = call.query["format"]
                guard format == nil || format == "csv" || format == "json" else {
                    throw Refused(.badRequest, "\"format\" is neither json nor csv.")
                }
                // A link cannot send the header Accept.
                if format == "csv" || (format == nil && call.headers[.accept]?.contains("text/csv") == true) {
                    var response = Response.text(Self.csv(page.stays), "text/csv; charset=utf-8")
                    if let next = page.next, let link = HTTPField.Name("Link") {
                        // The query of a link replaces the one of the request, which has ids, times and numbers only if there are stays.
                        let query = call.query.merging(["from": "\(from)", "to": "\(to)", "cursor": "\(next)"]) { $1 }
                        let fields = query.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                        response.headers[link] = "<?\(fields.joined(separator: "&"))>; rel=\"next\""
                    }
                    return response
                }
                return .json { json in
                    json.array("stays") { json in for stay in page.stays { stay.write(to: &json, isOver: true) } }
                    json.field("next", page.next.map { .string($0.description) } ?? JSONValue.null)
                }
            },
            Route(.get, "api/v1/history/at", .reader, query: ["time"]) { (call) throws(Refused) in
                guard let time = try call.time("time") else {
                    throw Refused(.badRequest, "The query has no \"time\" like 2026-11-22T14:00:00Z.")
                }
                let states = try await reading { try await history().states(at: time) }
                return .json { json in
                    json.array("items") { json in for stay in states { stay.write(to: &json, isOver: false) } }
                }
            },
            Route(.get, "api/v1/history/rooms", .reader, query: ["from", "to", "item"]) { (call) throws(Refused) in
                let (from, to) = try Self.span(call)
                let item = call.query["item"]
                let totals = try await reading {
                    try await history().totals(of: item, from: from, to: min(to, Clock.wall))
                }
                return .json { json in
                    json.array("rooms", of: totals) { total, json in
                        json.field("item", total.item)
                        json.field("presence", total.state.presence.rawValue)
                        json.field("room", total.state.room)
                        json.field("seconds", total.seconds, decimals: 1)
                    }
                }
            },
        ]
    }

    /// Where the past is stored; throws if it is not.
    func history() throws(Refused) -> HistoryStore {
        guard let store else {
            throw Refused(
                .notFound, "There is no history: set enabled in [history], and look at the aggregator's problems.")
        }
        return store
    }

    /// Whether anything is stored of an item.
    func hasPast(_ item: String) async throws(Refused) -> Bool {
        guard let store else { return false }
        return try await reading {
            !(try await store.stays(
                of: item, from: WallTime(milliseconds: 0), to: WallTime(milliseconds: .max), limit: 1, after: nil
            ).stays.isEmpty)
        }
    }

    func forgetPast(of item: String) async throws(Refused) {
        do {
            _ = try await blocking { [store] in try store?.forget(item, upTo: Clock.wall, isWhole: true) }
        } catch {
            throw Refused(.internalServerError, "The past cannot be deleted: \(error).")
        }
    }

    private func reading<Result>(_ body: () async throws -> Result) async throws(Refused) -> Result {
        guard link.beginReading() else {
            throw Refused(
                .serviceUnavailable, "Too many requests read the history: ask again in a while.",
                headers: [.retryAfter: "5"])
        }
        defer { link.endReading() }
        do { return try await body() } catch let error as Refused { throw error } catch {
            throw Refused(.serviceUnavailable, "The history cannot be read now.")
        }
    }

    private static func span(_ call: Call) throws(Refused) -> (WallTime, WallTime) {
        let to = try call.time("to") ?? Clock.wall
        let from = try call.time("from") ?? to - usual
        guard from < to else { throw Refused(.badRequest, "\"from\" is not before \"to\".") }
        return (from, to)
    }

    /// RFC 4180; a text that a spreadsheet would compute has an apostrophe before it.
    private static func csv(_ stays: [Stay]) -> String {
        func field(_ text: String) -> String {
            let text = text.first.map { "=+-@\t\r".contains($0) } == true ? "'" + text : text
            guard text.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return text }
            return "\"" + text.replacing("\"", with: "\"\"") + "\""
        }
        var lines = ["item,presence,room,from,to"]
        for stay in stays {
            lines.append(
                [
                    field(stay.item), stay.state.presence.rawValue, field(stay.state.room ?? ""), "\(stay.from)",
                    stay.to.map { "\($0)" } ?? "",
                ].joined(separator: ","))
        }
        return lines.joined(separator: "\r\n") + "\r\n"
    }
}

extension Stay {
    /// Writes the stay with `from` and `to`, or the state that lasts with `since`.
    fileprivate func write(to json: inout JSONWriter, isOver: Bool) {
        json.object { json in
            json.field("item", item)
            json.field("presence", state.presence.rawValue)
            json.field("room", state.room.map { .string($0) } ?? JSONValue.null)
            guard isOver else { return json.field("since", from) }
            json.field("from", from)
            json.field("to", to.map { .string($0.description) } ?? JSONValue.null)
        }
    }
}
