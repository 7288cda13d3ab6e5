import Glibc

/// Which rooms are confused because another room's gateway receives them better, and where gateways should go instead.
///
/// The plan suffices; with a survey of a minute in each room more of the confused rooms are found. The work is bounded: a gateway counts in
/// the rooms nearest to it, and only the gateways that do most harm are moved.
package struct Placement: Hashable, Sendable {
    /// A room with an outline and a gateway on the plan.
    package struct Room: Hashable, Sendable {
        package var room: String
        /// The room whose gateway is the strongest rival; `nil` if no other gateway is near.
        package var other: String?
        /// The share of the room that gateways of other rooms should receive better than its own by the plan, 0 to 1.
        package var byPlan: Double
        /// The share of the surveys' time in which a gateway of another room received the item best, 0 to 1; `nil` without a survey that is
        /// long enough.
        package var bySurvey: Double?

        /// How likely another room's gateway receives the larger part of the room better than the room's own, 0 to 1: the share of such rooms
        /// in simulated houses.
        package var confidence: Double {
            let odds = bySurvey.map { 7.5 * (byPlan + $0 - 1.16) } ?? 10 * (byPlan - 0.66)
            return 1 / (1 + exp(-odds))
        }

        /// Whether that is likely enough to be reported.
        package var isConfused: Bool { other != nil && confidence >= leastConfidence }
    }

    /// Another place for a gateway, at a wall of its own room.
    package struct Move: Hashable, Sendable {
        package var gateway: String
        package var room: String
        /// Where the gateway is on the plan.
        package var from: Polygon.Point
        /// Where the gateway should be, at the same height.
        package var to: Polygon.Point
        package var floor: Int
        package var gainingRoom: String
        /// The share of that room that its own gateway should receive best, before and after the move, 0 to 1.
        package var before: Double
        package var after: Double
        /// The increase of that share in the mean over the rooms in which the gateway counts.
        package var gain: Double
        /// Metres from where the gateway is, in a straight line.
        package var length: Double { from.distance(to: to) }
    }

    /// The rooms that can be judged, those that others receive best first.
    package let rooms: [Room]
    /// The moves in their order: each assumes those before it. Empty if nothing is gained.
    package let moves: [Move]
    /// The drawn rooms without a gateway on the plan, which cannot be judged.
    package let roomsWithoutGateway: [String]
    package let gateways: Int
    /// The gateways for which better places were looked for.
    package let examinedGateways: Int

    /// The most gateways for which better places are looked for.
    package static let mostExamined = 32
    /// The most moves: later ones gain little.
    package static let mostMoves = 3
    /// Seconds of surveys from which a room counts as surveyed.
    private static let leastSurvey = 45.0
    /// Fewer rooms are missed below it, and more are named that are not confused: here both together are least.
    private static let leastConfidence = 1.0 / 3
    /// The least gain of a move. With it locations by names become worse by more than .01 in one of ten simulated houses that follow the advice; with
    /// none, in one of six.
    package static let leastGain = 0.03

    /// The advice for a site; `nil` unless two rooms with an outline have a gateway with a position.
    package init?(site: Site, surveys: [Survey.Elsewhere] = []) {
        guard var field = PlacementField(site) else { return nil }
        var clarities = field.clarities()
        guard clarities.count >= 2 else { return nil }
        rooms = clarities.map { Self.room(field, $0.key, byPlan: 1 - $0.value, surveys) }
            .sorted { ($1.confidence, $0.room) < ($0.confidence, $1.room) }
        roomsWithoutGateway = field.rooms.enumerated().filter { $1.polygon != nil && clarities[$0] == nil }.map(
            \.element.name)
        let examined = field.byHarm(clarities).prefix(Self.mostExamined)
        (gateways, examinedGateways) = (field.antennas.count, examined.count)
        let candidates = examined.flatMap { antenna in field.spots(for: antenna).map { (antenna: antenna, spot: $0) } }
        var moves: [Move] = []
        while moves.count < Self.mostMoves {
            let gains = candidates.map { field.gain($0.antenna, $0.spot.rssiValues, over: clarities) }
            let greatest = gains.indices.max { gains[$0].mean < gains[$1].mean }
            guard let best = greatest, gains[best].mean >= Self.leastGain else { break }
            let (antenna, spot) = candidates[best]
            let gateway = field.antennas[antenna]
            guard let from = gateway.gateway.position else { break }
            moves.append(
                Move(
                    gateway: gateway.gateway.id, room: field.rooms[gateway.room].name, from: from, to: spot.point,
                    floor: field.rooms[gateway.room].floor, gainingRoom: field.rooms[gains[best].room].name,
                    before: gains[best].before, after: gains[best].after, gain: gains[best].mean))
            field.move(antenna, to: spot)
            clarities = field.clarities()
        }
        self.moves = moves
    }

    /// The rooms that are probably confused, the likeliest first.
    package var confused: [Room] { rooms.filter(\.isConfused) }

    private static func room(
        _ field: PlacementField, _ room: Int, byPlan: Double, _ surveys: [Survey.Elsewhere]
    ) -> Room {
        let name = field.rooms[room].name
        let survey = surveys.filter { $0.room == name }.combined.flatMap { $0.seconds >= leastSurvey ? $0 : nil }
        let rival = field.rivals(in: room).max { ($0.share, $1.antenna) < ($1.share, $0.antenna) }
        let other = survey?.other ?? rival.map { field.rooms[field.antennas[$0.antenna].room].name }
        return Room(room: name, other: other, byPlan: byPlan, bySurvey: survey?.share)
    }
}
