import Locating
import Messages

/// The advice on placement as the command and the page show it.
extension Placement {
    /// The advice for a configured site, with the aggregator's surveys of it; `nil` unless two rooms with an outline have a gateway on the
    /// plan.
    package init?(_ site: SiteConfiguration, surveys: [SurveyResponse.Survey]) {
        self.init(
            site: site.site(),
            surveys: surveys.compactMap { survey in
                survey.elsewhere.map {
                    Survey.Elsewhere(
                        room: survey.room, seconds: Double(survey.seconds), share: $0, other: survey.elsewhereRoom)
                }
            })
    }

    /// The advice, a sentence for each confused room and each move, and what is not known.
    package var sentences: [String] {
        func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }
        func metres(_ length: Double) -> String { "\((length * 10).rounded() / 10)" }
        var sentences = confused.map { room in
            let other = room.other ?? ""
            let survey = room.bySurvey.map { ", and \(percent($0)) of the survey" } ?? ""
            return "\(other)'s gateway receives \(room.room) better than \(room.room)'s own: "
                + "\(percent(room.byPlan)) of the room by the plan\(survey) (\(percent(room.confidence)) sure)."
        }
        if confused.isEmpty { sentences.append("No room seems to be received better by another room's gateway.") }
        for (number, move) in moves.enumerated() {
            sentences.append(
                "Move \(number + 1): put the gateway \(move.gateway) at a wall of \(move.room), \(metres(move.length)) m from its place, "
                    + "at \(metres(move.to.x)), \(metres(move.to.y)) on the plan. Then \(move.gainingRoom)'s own gateway should "
                    + "receive \(percent(move.after)) of \(move.gainingRoom) best, instead of \(percent(move.before)).")
        }
        if moves.isEmpty { sentences.append("No move of a gateway within its room gains enough to be worth it.") }
        if rooms.contains(where: { $0.bySurvey == nil }) {
            sentences.append("A survey of a minute in each room finds confused rooms that the plan does not show.")
        }
        if !roomsWithoutGateway.isEmpty {
            let names = roomsWithoutGateway.prefix(10).joined(separator: ", ")
            let more = roomsWithoutGateway.count > 10 ? " and \(roomsWithoutGateway.count - 10) more" : ""
            sentences.append("Nothing is known of rooms without a gateway on the plan: \(names)\(more).")
        }
        if examinedGateways < gateways {
            sentences.append(
                "Better places were looked for \(examinedGateways) of \(gateways) gateways: those that do most harm.")
        }
        return sentences
    }

    package func writeFields(to json: inout JSONWriter) {
        func point(_ point: Polygon.Point) -> JSONValue {
            .array([point.x, point.y].map { .double(($0 * 100).rounded() / 100) })
        }
        json.array("rooms", of: rooms) { room, json in
            json.field("room", room.room)
            json.field("other", room.other)
            json.field("by_plan", room.byPlan, decimals: 2)
            json.field("by_survey", room.bySurvey, decimals: 2)
            json.field("confused", room.isConfused)
            json.field("confidence", room.confidence, decimals: 2)
        }
        json.array("moves", of: moves) { move, json in
            json.field("gateway", move.gateway)
            json.field("room", move.room)
            json.field("floor", move.floor)
            json.field("from_m", point(move.from))
            json.field("to_m", point(move.to))
            json.field("gaining_room", move.gainingRoom)
            json.field("before", move.before, decimals: 2)
            json.field("after", move.after, decimals: 2)
            json.field("gain", move.gain, decimals: 2)
        }
        json.field("rooms_without_gateway", roomsWithoutGateway)
        json.field("gateways", gateways)
        json.field("examined_gateways", examinedGateways)
        json.field("sentences", sentences)
    }
}
