/// What the aggregator learned about a site: a few fingerprints per room, the transition matrix, and the correction of the floor plan.
///
/// Everything is stored by name, so changes of the site are possible. For a new gateway the fingerprints contain guesses until it is
/// learned, too.
package struct Learned: Hashable, Sendable {
    struct Fingerprint: Hashable, Sendable {
        var room: String
        /// Seconds of samples.
        var seconds: Double
        /// 0 to 1: the part of the seconds that was a survey.
        var surveyed: Double
        /// dBm, in the order of `gateways`.
        var rssiValues: [Double]
    }

    /// The gateways' ids, in the order of each fingerprint's values.
    let gateways: [String]
    /// The fingerprints, room by room.
    private(set) var fingerprints: [Fingerprint]
    /// The transition matrix; `nil` if it could not be learned, or a plan replaces it.
    private(set) var transitions: TransitionMatrix?
    /// dBm: the mean of all RSSI values. A guessed fingerprint has the same mean.
    let mean: Double
    /// dB: the standard deviation of the samples from their fingerprints.
    let spread: Double
    /// Seconds without labels.
    package let lived: Double
    /// Seconds of surveys.
    package let surveyed: Double
    /// 0 to 1: the share of the time for which two halves of the samples, learned separately, give the same room.
    package let agreement: Double

    /// The correction of the plan; `nil` without a plan. If the correction fits the plan, it replaces the fingerprints.
    var correction: PlanCorrection?

    /// 0 to 1: the share of the time for which the estimated room differs from the room without learning.
    package internal(set) var difference = 0.0

    /// Factor of the standard deviation of a fingerprint without labels: some of its samples were in another room.
    private static let doubt = 1.5
    /// Seconds: the weight of the guess from the names, per room.
    static let anchor = 30.0

    /// 0 to 1: the weight of the learned model beside the names.
    package var share: Double {
        let rooms = Double(max(rooms.count, 1))
        let seconds = lived / Double(max(gateways.count, 1)) + surveyed / rooms
        return seconds / (seconds + Tuning.apprenticeship)
    }

    package var rooms: Set<String> { Set(fingerprints.map(\.room)) }

    /// What was learned about each room, in the order of the rooms' names.
    package var knowledge: [RoomKnowledge] {
        rooms.sorted().map { room in
            var knowledge = RoomKnowledge(room: room, fingerprints: 0, lived: 0, surveyed: 0)
            for fingerprint in fingerprints where fingerprint.room == room {
                let surveyed = fingerprint.seconds * fingerprint.surveyed
                knowledge.fingerprints += 1
                knowledge.surveyed += surveyed
                knowledge.lived += fingerprint.seconds - surveyed
            }
            return knowledge
        }
    }

    /// The fingerprints of each room of a site. A room that was not learned has the guess from the names.
    func fingerprints(in frame: SiteFrame) -> [Fingerprints] {
        let columns = frame.gateways.map { gateways.firstIndex(of: $0.id) }
        return frame.rooms.indices.map { room in
            var result = Fingerprints(gateways: frame.gateways.count)
            let guess = Self.guess(of: room, served: frame.served, mean: mean)
            for fingerprint in fingerprints where fingerprint.room == frame.rooms[room] {
                let rssiValues = columns.enumerated().map { index, column in
                    column.map { fingerprint.rssiValues[$0] } ?? guess[index]
                }
                let spread = min(max(spread, 3.5), 7) * (Self.doubt + fingerprint.surveyed * (1 - Self.doubt))
                result.append(rssiValues, spread: spread)
            }
            if result.count == 0 { result.append(guess, spread: GuessedFingerprints.spread) }
            return result
        }
    }

    /// The guessed fingerprint of a room, with the mean of the learned RSSI values.
    static func guess(of room: Int, served: [[Int]], mean: Double) -> [Double] {
        let expected = GuessedFingerprints.expectation(of: room, served: served)
        let centre = expected.reduce(0, +) / Double(max(expected.count, 1))
        return expected.map { mean + $0 - centre }
    }

    /// The same, of rooms that have other names now.
    package func renamed(by names: [String: String]) -> Learned {
        var learned = self
        for (index, room) in fingerprints.map(\.room).enumerated() {
            learned.fingerprints[index].room = names[room] ?? room
        }
        learned.transitions = transitions?.renamed(by: names)
        return learned
    }
}
