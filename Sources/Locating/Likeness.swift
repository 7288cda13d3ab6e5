import Glibc

/// How hard a surveyed room is to distinguish from another room.
package struct Likeness: Hashable, Sendable {
    package var room: String
    /// The room that is estimated instead.
    package var other: String
    /// 0 to 1: the mean posterior of `other` after a few seconds in `room`. At 0.5 both rooms are equally likely.
    package var share: Double

    /// Seconds of observation: about as long as a user is willing to wait.
    private static let seconds = 3.0
    /// Smaller shares are not reported.
    private static let least = 0.1

    /// All pairs of rooms that are hard to distinguish by these surveys, the worst first.
    ///
    /// Each half of a survey is judged by what the other halves teach, as a survey always recognises itself. Transitions between rooms do
    /// not help: only fingerprints count.
    package static func judge(_ surveys: [Survey], site: Site) -> [Likeness] {
        var site = site
        for room in site.rooms.indices { site.rooms[room].polygon = nil }
        var sums: [String: [String: Double]] = [:]
        var seconds: [String: Double] = [:]
        for isLater in [false, true] {
            let taught = surveys.map { Survey(room: $0.room, history: $0.history.half(isLater: !isLater)) }
            let model = LocatorModel(site: site, learned: Learned.learn(site: site, from: [], surveys: taught))
            for survey in surveys {
                let half = survey.history.half(isLater: isLater)
                let windows = TrainingSample.windows(of: half, frame: model.stateSpace.frame)
                for moment in windows.joined() {
                    seconds[survey.room, default: 0] += 1
                    for (room, share) in model.believed(after: Self.seconds, of: moment.observation) {
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

extension RSSIHistory {
    /// The first or the second half of the samples.
    fileprivate func half(isLater: Bool) -> RSSIHistory {
        var half = RSSIHistory(gateways: gateways)
        let middle = samples.count / 2
        half.samples = Array(isLater ? samples[middle...] : samples[..<middle])
        return half
    }
}

extension LocatorModel {
    /// The posterior of each room after the same observation for a while, with equal priors.
    fileprivate func believed(after seconds: Double, of observation: Observation) -> [(room: String, share: Double)] {
        var belief = stateSpace.prior
        var weights = Array(repeating: 0.0, count: belief.count)
        weigh(observation, into: &weights)
        Self.multiply(&belief, byExponentialOf: weights, times: seconds)
        return zip(stateSpace.places, belief).map { (rooms[$0], $1) }
    }
}
