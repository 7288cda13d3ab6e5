import Glibc

/// How much a surveyed room sounds like another one.
public struct Likeness: Hashable, Sendable {
    /// The room that was surveyed.
    public var room: String
    /// The one that it is taken for.
    public var other: String
    /// Of a few seconds' listening in `room`, how much is believed to be `other` on average: 0 to 1, half is a toss-up.
    public var share: Double

    /// Seconds of listening that the belief is judged by: about as long as somebody is willing to wait.
    private static let seconds = 3.0
    /// A share that is not worth a word.
    private static let least = 0.1

    /// Every two rooms that are hard to tell apart by these surveys, the worst first.
    ///
    /// One half of each survey is held against what the other halves teach, and the other way round: a survey that only knows itself
    /// again is worth nothing. By sound alone: no way from room to room helps.
    public static func judge(_ surveys: [Survey], site: Site) -> [Likeness] {
        var site = site
        for room in site.rooms.indices { site.rooms[room].polygon = nil }
        var sums: [String: [String: Double]] = [:]
        var seconds: [String: Double] = [:]
        for isLater in [false, true] {
            let taught = surveys.map { Survey(room: $0.room, history: $0.history.half(isLater: !isLater)) }
            let model = LocatorModel(site: site, learned: Learned.learn(site: site, from: [], surveys: taught))
            for survey in surveys {
                let half = survey.history.half(isLater: isLater)
                let windows = Moment.windows(of: half, frame: model.ground.frame)
                for moment in windows.joined() {
                    seconds[survey.room, default: 0] += 1
                    for (room, share) in model.believed(after: Self.seconds, of: moment.hearing) {
                        sums[survey.room, default: [:]][room, default: 0] += share
                    }
                }
            }
        }
        return sums.flatMap { room, others in
            others.map { Likeness(room: room, other: $0.key, share: $0.value / (seconds[room] ?? 1)) }
        }
        .filter { $0.room != $0.other && $0.share >= Self.least }
        .sorted { ($1.share, $0.room, $0.other) < ($0.share, $1.room, $1.other) }
    }
}

extension LevelHistory {
    /// Its first or its later half.
    fileprivate func half(isLater: Bool) -> LevelHistory {
        var half = LevelHistory(gateways: gateways)
        let middle = samples.count / 2
        half.samples = Array(isLater ? samples[middle...] : samples[..<middle])
        return half
    }
}

extension LocatorModel {
    /// The belief in each room after listening to one sound for a while, all being alike before.
    fileprivate func believed(after seconds: Double, of hearing: Hearing) -> [(room: String, share: Double)] {
        var belief = ground.start
        var weights = Array(repeating: 0.0, count: belief.count)
        weigh(hearing, into: &weights)
        Self.multiply(&belief, byExponentialOf: weights, times: seconds)
        return zip(ground.places, belief).map { (rooms[$0], $1) }
    }
}
