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
    /// dB added to what each gateway reports.
    let offsets: [Double]
    /// What the confidence is made of while an item moves, and while it is still.
    private let honesty: (moving: Tuning.Honesty, still: Tuning.Honesty)
    /// The power of the belief by which the position is weighed.
    let honestyOfPosition: Double
    private let voices: [Voice]
    private let looksOfPlan: Double
    /// How the places should sound by the plan; `nil` without one.
    let cells: Evidence?

    /// The model of a site. Of gateways with one id the first counts.
    public convenience init(site: Site, learned: Learned? = nil) {
        self.init(ground: Ground(site: site, taught: learned?.rooms ?? []), learned: learned)
    }

    init(ground: Ground, learned: Learned?) {
        let frame = ground.frame
        let share = learned?.share ?? 0
        let besidePlan = ground.plan == nil ? 1 : Tuning.namesBesidePlan
        let besideLearned = 1 - share + share * Tuning.namesBesideLearned
        let names = NamesVoice.signatures(served: frame.served, rooms: frame.rooms.count)
        let gateways = frame.gateways.count
        var voices = [
            Voice(
                names, known: frame.rooms.map { _ in false }, gateways: gateways, tuning: Tuning.names,
                share: besidePlan * besideLearned, depth: Tuning.depth, base: NamesVoice.elsewhere)
        ]
        let corrected = learned?.correction.flatMap(ground.cells(corrected:))
        cells = corrected ?? ground.cells
        let isCorrected = corrected != nil
        if let learned, share > 0, !isCorrected {
            let sounds = learned.signatures(in: frame)
            let known = frame.rooms.map(learned.rooms.contains)
            voices.append(Voice(sounds, known: known, gateways: gateways, tuning: Tuning.learned, share: share))
        }
        self.voices = voices
        looksOfPlan = Tuning.plan.looks * (1 - share + share * (isCorrected ? 1 : Tuning.planBesideLearned))
        // A corrected plan is no sharper than a plan.
        let sharpness = isCorrected ? 0 : share
        honesty = (
            Tuning.honesty.moving.mixed(with: Tuning.honestyWhenLearned.moving, share: sharpness),
            Tuning.honesty.still.mixed(with: Tuning.honestyWhenLearned.still, share: sharpness)
        )
        let position = Tuning.honestyOfPosition
        honestyOfPosition = position.guessed + sharpness * (position.learned - position.guessed)
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

    /// What the confidence is made of; `stillness` from 0, while an item moves, to 1.
    func honesty(stillness: Double) -> Tuning.Honesty { honesty.moving.mixed(with: honesty.still, share: stillness) }

    /// Writes the log-likelihood of each place, per second of listening, into `result`.
    func weigh(_ hearing: Hearing, into result: inout [Double]) {
        result.withUnsafeMutableBufferPointer { weigh(hearing, into: $0) }
    }

    private func weigh(_ hearing: Hearing, into result: UnsafeMutableBufferPointer<Double>) {
        withUnsafeTemporaryAllocation(of: Double.self, capacity: rooms.count) { buffer in
            buffer.initialize(repeating: 0)
            let faintness = faintness(hearing)
            for voice in voices { voice.say(hearing, faintness: faintness, into: buffer) }
            for (place, room) in ground.places.enumerated() {
                result[place] = buffer[room] + (cells.map { looksOfPlan * $0.weigh(place, hearing) } ?? 0)
            }
        }
    }

    /// The log-likelihood ratio, in nats, of "far from every gateway" to "in a room with a gateway", by the strongest level.
    private func faintness(_ hearing: Hearing) -> Double {
        var loudest = -Double.infinity
        for (gateway, level) in hearing.heard where !ground.frame.served[gateway].isEmpty {
            loudest = max(loudest, level)
        }
        let faintness = (Tuning.near - (loudest - hearing.excess)) * Tuning.faintness
        return max(-Tuning.faintest, min(Tuning.faintest, faintness))
    }

    /// Lets a belief over places spread for `seconds`, then weighs it by what was heard in them.
    ///
    /// `look` is the mean log-likelihood of each place over the last seconds, below that of the likeliest place; `lookedFor` the seconds it is of.
    func step(
        _ belief: inout [Double], look: inout [Double], lookedFor: inout Double, hearing: Hearing, seconds: Double
    ) {
        motion.move(&belief, seconds: seconds)
        guard !hearing.heard.isEmpty, !belief.isEmpty else { return }
        withUnsafeTemporaryAllocation(of: Double.self, capacity: belief.count) { weights in
            weights.initialize(repeating: 0)
            weigh(hearing, into: weights)
            var most = -Double.infinity
            for weight in weights { most = max(most, weight) }
            lookedFor += seconds
            let share = max(1 - exp(-seconds / Tuning.glance), seconds / max(lookedFor, seconds, 1e-9))
            for place in look.indices { look[place] += share * (weights[place] - most - look[place]) }
            Self.multiply(&belief, byExponentialOf: UnsafeBufferPointer(weights), most: most, times: seconds)
        }
    }

    /// Bayes: the belief times the likelihood, made to add up to 1 again.
    static func multiply(_ belief: inout [Double], byExponentialOf weights: [Double], times factor: Double) {
        var most = -Double.infinity
        for weight in weights { most = max(most, weight) }
        weights.withUnsafeBufferPointer { multiply(&belief, byExponentialOf: $0, most: most, times: factor) }
    }

    private static func multiply(
        _ belief: inout [Double], byExponentialOf weights: UnsafeBufferPointer<Double>, most: Double,
        times factor: Double
    ) {
        var sum = 0.0
        for place in belief.indices {
            belief[place] *= exp(factor * (weights[place] - most))
            sum += belief[place]
        }
        guard sum > 0 else { return }
        for place in belief.indices { belief[place] = max(belief[place] / sum, 1e-12) }
    }
}
