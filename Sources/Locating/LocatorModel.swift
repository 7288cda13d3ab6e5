import Glibc

/// All that is known of a site, ready to weigh evidence with: shared by the beliefs of all items, never changed.
///
/// When the site changes (a gateway appears, a room is renamed, something was learned) a new one is made, and each `Locator` adopts it.
public final class LocatorModel: Sendable {
    /// The site it was made of.
    public let site: Site
    /// What was learned, if anything was.
    public let learned: Learned?
    /// The gateways' ids, in the order of their indices.
    public let gateways: [String]
    /// The rooms' names, in the order of their indices.
    public let rooms: [String]

    let ground: Ground
    let motion: Motion
    let offsets: [Double]
    let honesty: Double
    /// The power of the pace of an item's belief by which its confidence is lowered.
    let honestyAtRest: Double
    private let voices: [Voice]
    private let looksOfPlan: Double

    /// The model of a site. Of gateways with one id the first counts.
    public convenience init(site: Site, learned: Learned? = nil) {
        self.init(ground: Ground(site: site, taught: learned?.rooms ?? []), learned: learned)
    }

    init(ground: Ground, learned: Learned?) {
        let frame = ground.frame
        let share = learned?.share ?? 0
        let besidePlan = ground.plan == nil ? 1 : Tuning.namesBesidePlan
        let besideLearned = 1 - share + share * Tuning.namesBesideLearned
        let names = NamesVoice.signatures(owners: frame.owners, rooms: frame.rooms.count)
        let gateways = frame.gateways.count
        var voices = [
            Voice(
                names, known: frame.rooms.map { _ in false }, gateways: gateways, tuning: Tuning.names,
                share: besidePlan * besideLearned, depth: Tuning.depth)
        ]
        if let learned {
            let sounds = learned.signatures(in: frame)
            let known = frame.rooms.map(learned.rooms.contains)
            voices.append(Voice(sounds, known: known, gateways: gateways, tuning: Tuning.learned, share: share))
        }
        self.voices = voices
        looksOfPlan = Tuning.plan.looks * (1 - share + share * Tuning.planBesideLearned)
        honesty = Tuning.honesty + share * (Tuning.honestyWhenLearned - Tuning.honesty)
        honestyAtRest = (1 - share) * Tuning.honestyAtRest
        site = ground.site
        self.learned = learned
        self.ground = ground
        motion = ground.motion.following(learned?.ways, names: ground.names)
        self.gateways = frame.gateways.map(\.id)
        rooms = frame.rooms
        offsets = frame.gateways.map { $0.rssiOffset.isFinite ? $0.rssiOffset : 0 }
    }

    /// The index of a gateway; `nil` for one that the site does not have.
    public func index(ofGateway id: String) -> Int? { ground.frame.gatewayIndices[id] }

    /// Writes the log-likelihood of each place, per second of listening, into `result`.
    func weigh(_ hearing: Hearing, into result: inout [Double]) {
        withUnsafeTemporaryAllocation(of: Double.self, capacity: rooms.count) { buffer in
            buffer.initialize(repeating: 0)
            let faintness = faintness(hearing)
            for voice in voices { voice.say(hearing, faintness: faintness, into: buffer) }
            for (place, room) in ground.places.enumerated() {
                result[place] = buffer[room] + (ground.cells.map { looksOfPlan * $0.weigh(place, hearing) } ?? 0)
            }
        }
    }

    /// Nats by which the loudest gateway says that the item is far from every gateway rather than in a room with one.
    private func faintness(_ hearing: Hearing) -> Double {
        var loudest = -Double.infinity
        for (gateway, level) in hearing.heard where ground.frame.owners[gateway] != nil {
            loudest = max(loudest, level)
        }
        let faintness = (Tuning.near - (loudest - hearing.excess)) * Tuning.faintness
        return max(-Tuning.faintest, min(Tuning.faintest, faintness))
    }

    /// Lets a belief over places spread for `seconds`, then weighs it by what was heard in them.
    func step(_ belief: inout [Double], scratch: inout [Double], hearing: Hearing, seconds: Double) {
        motion.move(&belief, seconds: seconds)
        guard !hearing.heard.isEmpty, !belief.isEmpty else { return }
        weigh(hearing, into: &scratch)
        Self.multiply(&belief, byExponentialOf: scratch, times: seconds)
    }

    /// Bayes: the belief times the likelihood, made to add up to 1 again.
    static func multiply(_ belief: inout [Double], byExponentialOf weights: [Double], times factor: Double) {
        var most = -Double.infinity
        for weight in weights { most = max(most, weight) }
        var sum = 0.0
        for place in belief.indices {
            belief[place] *= exp(factor * (weights[place] - most))
            sum += belief[place]
        }
        guard sum > 0 else { return }
        for place in belief.indices { belief[place] = max(belief[place] / sum, 1e-12) }
    }
}
