import Glibc

/// The immutable model of a site, which the locators of all items share.
///
/// When the site changes, for example because a gateway appears or something was learned, a new model replaces it (`Locator.adopt`).
package final class LocatorModel: Sendable {
    package let site: Site
    package let learned: Learned?
    /// The gateways' ids, in the order of their indices.
    package let gateways: [String]
    /// The rooms' names, in the order of their indices.
    package let rooms: [String]

    let stateSpace: StateSpace
    let motion: Motion
    /// dB added to the RSSI of each gateway.
    let offsets: [Double]
    private let calibration: (moving: Tuning.Calibration, still: Tuning.Calibration)
    let positionExponent: Double
    private let likelihoods: [RoomLikelihood]
    /// The RSSI that the plan predicts at each place, with learned corrections; `nil` without a plan.
    let cells: Evidence?

    /// Creates the model of a site. Of gateways with the same id the first counts.
    package convenience init(site: Site, learned: Learned? = nil) {
        self.init(stateSpace: StateSpace(site: site), learned: learned)
    }

    init(stateSpace: StateSpace, learned: Learned?) {
        let frame = stateSpace.frame
        let share = learned?.share ?? 0
        let besidePlan = stateSpace.plan == nil ? 1 : Tuning.namesBesideBetter
        let besideLearned = 1 - share + share * Tuning.namesBesideBetter
        let names = GuessedFingerprints.fingerprints(served: frame.served, rooms: frame.rooms.count)
        let gateways = frame.gateways.count
        var likelihoods = [
            RoomLikelihood(
                names, known: frame.rooms.map { _ in false }, gateways: gateways, tuning: Tuning.names,
                share: besidePlan * besideLearned, depth: Tuning.depth, base: GuessedFingerprints.elsewhere)
        ]
        let corrected = learned?.correction.flatMap { stateSpace.cells(corrected: $0) }
        cells = corrected ?? stateSpace.cells
        let isCorrected = corrected != nil
        if let learned, share > 0, !isCorrected {
            let fingerprints = learned.fingerprints(in: frame)
            let known = frame.rooms.map(learned.rooms.contains)
            likelihoods.append(
                RoomLikelihood(fingerprints, known: known, gateways: gateways, tuning: Tuning.learned, share: share))
        }
        self.likelihoods = likelihoods
        // Fingerprints are sharper, a corrected plan is not.
        let sharpness = isCorrected ? 0 : share
        let cold = stateSpace.plan == nil ? Tuning.calibration : Tuning.calibrationWithPlan
        let whenLearned = isCorrected ? Tuning.calibrationWithCorrections : Tuning.calibrationWhenLearned
        calibration = (
            cold.moving.mixed(with: whenLearned.moving, share: share),
            cold.still.mixed(with: whenLearned.still, share: share)
        )
        let position = Tuning.positionExponent
        positionExponent = position.guessed + sharpness * (position.learned - position.guessed)
        site = stateSpace.site
        self.learned = learned
        self.stateSpace = stateSpace
        motion = stateSpace.motion.using(learned?.transitions, names: stateSpace.names)
        self.gateways = frame.gateways.map(\.id)
        rooms = frame.rooms
        offsets = frame.gateways.map { $0.rssiOffset.isFinite ? $0.rssiOffset : 0 }
    }

    package func index(ofGateway id: String) -> Int? { stateSpace.frame.gatewayIndices[id] }

    /// The calibration of the confidence. `stillness` is 0 for an item that moves, up to 1.
    func calibration(stillness: Double) -> Tuning.Calibration {
        calibration.moving.mixed(with: calibration.still, share: stillness)
    }

    /// Writes the log-likelihood of each place, per second, into `result`.
    func weigh(_ observation: Observation, into result: inout [Double]) {
        result.withUnsafeMutableBufferPointer { weigh(observation, into: $0) }
    }

    private func weigh(_ observation: Observation, into result: UnsafeMutableBufferPointer<Double>) {
        withUnsafeTemporaryAllocation(of: Double.self, capacity: rooms.count) { buffer in
            buffer.initialize(repeating: 0)
            let faintness = faintness(observation)
            for likelihood in likelihoods { likelihood.add(observation, faintness: faintness, into: buffer) }
            guard let cells else {
                for (place, room) in stateSpace.places.enumerated() { result[place] = buffer[room] }
                return
            }
            let expected = observation.power?.expectation(claimed: Double(observation.excess))
            for (place, room) in stateSpace.places.enumerated() {
                result[place] =
                    buffer[room] + Tuning.plan.observationRate * cells.weigh(place, observation, expected: expected)
            }
        }
    }

    /// The log-likelihood ratio, in nats, of "far from every gateway" to "in a room with a gateway", by the highest RSSI.
    private func faintness(_ observation: Observation) -> Double {
        var strongest = -Double.infinity
        for (gateway, rssi) in observation.received where !stateSpace.frame.served[gateway].isEmpty {
            strongest = max(strongest, rssi)
        }
        let faintness = (Tuning.near - (strongest - Double(observation.excess))) * Tuning.faintness
        return max(-Tuning.faintest, min(Tuning.faintest, faintness))
    }

    /// Spreads a belief over `seconds`, then multiplies it by the likelihood of an observation.
    ///
    /// - Parameters:
    ///   - recent: The mean log-likelihood of each place over the last seconds, relative to the likeliest place.
    ///   - recentSeconds: The seconds that `recent` covers.
    func step(
        _ belief: inout [Double], recent: inout [Double], recentSeconds: inout Float, observation: Observation,
        seconds: Double
    ) {
        motion.move(&belief, seconds: seconds)
        guard !observation.received.isEmpty, !belief.isEmpty else { return }
        withUnsafeTemporaryAllocation(of: Double.self, capacity: belief.count) { weights in
            weights.initialize(repeating: 0)
            weigh(observation, into: weights)
            var most = -Double.infinity
            for weight in weights { most = max(most, weight) }
            recentSeconds += Float(seconds)
            let share = max(1 - exp(-seconds / Tuning.recentSpan), seconds / max(Double(recentSeconds), seconds, 1e-9))
            for place in recent.indices { recent[place] += share * (weights[place] - most - recent[place]) }
            Self.multiply(&belief, byExponentialOf: UnsafeBufferPointer(weights), most: most, times: seconds)
        }
    }

    /// Bayes: multiplies a belief by a likelihood, and normalises.
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

    /// The values of the places of a former model for the places of this one, by place or else by room. A new room gets the lowest value.
    ///
    /// - Parameter heirs: this model's room for each of the former one.
    func carried(_ values: [Double], from former: LocatorModel, to heirs: [Int?]) -> [Double] {
        if stateSpace.hasPlaces(of: former.stateSpace, heirs: heirs) { return values }
        var highest: [Int: Double] = [:]
        for (place, room) in former.stateSpace.places.enumerated() {
            if let heir = heirs[room] { highest[heir] = max(highest[heir] ?? -.infinity, values[place]) }
        }
        return stateSpace.places.map { [least = values.min() ?? 0] place in highest[place] ?? least }
    }
}
