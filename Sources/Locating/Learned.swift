/// How the rooms of a site sound, learned by living there and from surveys: a few typical sounds per room.
///
/// Kept by names, so that it survives changes of the site: what a new gateway hears is guessed until it was learned too.
public struct Learned: Hashable, Sendable {
    /// One typical sound of a room.
    struct Sound: Hashable, Sendable {
        var room: String
        /// How long it was heard.
        var seconds: Double
        /// How much of that was a survey, 0 to 1.
        var surveyed: Double
        /// dBm, in the order of `gateways`.
        var levels: [Double]
    }

    /// The gateways' ids, in the order of each sound's levels.
    let gateways: [String]
    /// The sounds, room by room.
    let sounds: [Sound]
    /// How one goes from room to room; `nil` where that was not to be seen, or a plan says it.
    let ways: Ways?
    /// dBm: the mean of all levels, at which a guessed sound is centred.
    let mean: Double
    /// dB: how far what was heard lay from the sounds that it became.
    let spread: Double
    /// Seconds of unlabelled living.
    public let lived: Double
    /// Seconds of surveys.
    public let surveyed: Double
    /// 0 to 1: of the moments that were lived, how many would sound like the same room had only half of the past been heard, either half.
    public let agreement: Double

    /// What was learned of the plan; `nil` without one. If it fits the plan, it is used instead of the fingerprints.
    var correction: PlanCorrection?

    /// 0 to 1: of the moments that were lived, at how many it says another room than would be said without it.
    public internal(set) var difference = 0.0

    /// How much further off a sound may be that was learned without labels: some of what it was learned from was elsewhere.
    private static let doubt = 1.5
    /// Seconds that the guess from the names weighs against what was heard, per room.
    static let anchor = 30.0

    /// 0 to 1: its weight beside the names.
    public var share: Double {
        let rooms = Double(max(rooms.count, 1))
        let seconds = lived / Double(max(gateways.count, 1)) + surveyed / rooms
        return seconds / (seconds + Tuning.apprenticeship)
    }

    /// The same without the unlabelled fingerprints of some rooms: the guess from the names takes their place.
    func without(_ refused: Set<String>) -> Learned {
        if refused.isEmpty { return self }
        return Learned(
            gateways: gateways, sounds: sounds.filter { !refused.contains($0.room) || $0.surveyed > 0.5 }, ways: ways,
            mean: mean, spread: spread, lived: lived, surveyed: surveyed, agreement: agreement)
    }

    /// The rooms of which it knows a sound.
    public var rooms: Set<String> { Set(sounds.map(\.room)) }

    /// What it knows of each room, in the order of their names.
    public var knowledge: [RoomKnowledge] {
        rooms.sorted().map { room in
            var knowledge = RoomKnowledge(room: room, sounds: 0, lived: 0, surveyed: 0)
            for sound in sounds where sound.room == room {
                let surveyed = sound.seconds * sound.surveyed
                knowledge.sounds += 1
                knowledge.surveyed += surveyed
                knowledge.lived += sound.seconds - surveyed
            }
            return knowledge
        }
    }

    /// The signatures of each room of a site. A room that was never heard sounds as its gateways' names lead one to expect.
    func signatures(in frame: SiteFrame) -> [Signatures] {
        let columns = frame.gateways.map { gateways.firstIndex(of: $0.id) }
        return frame.rooms.indices.map { room in
            var signatures = Signatures(gateways: frame.gateways.count)
            let guess = Self.guess(of: room, served: frame.served, mean: mean)
            for sound in sounds where sound.room == frame.rooms[room] {
                let levels = columns.enumerated().map { index, column in column.map { sound.levels[$0] } ?? guess[index]
                }
                let spread = min(max(spread, 3.5), 7) * (Self.doubt + sound.surveyed * (1 - Self.doubt))
                signatures.append(levels, spread: spread)
            }
            if signatures.count == 0 { signatures.append(guess, spread: NamesVoice.spread) }
            return signatures
        }
    }

    /// How a room should sound by the names alone, at the power of the tags that were heard.
    static func guess(of room: Int, served: [[Int]], mean: Double) -> [Double] {
        let expected = NamesVoice.expectation(of: room, served: served)
        let centre = expected.reduce(0, +) / Double(max(expected.count, 1))
        return expected.map { mean + $0 - centre }
    }
}
