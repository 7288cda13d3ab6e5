/// Learns the fingerprints of a site's rooms from RSSI histories, with labels or without.
///
/// The method is expectation maximisation. The filter runs forwards and backwards over the past, and returns the probability of each room
/// at each moment. From these follow a few fingerprints per room, which improve the filter in the next round. The names have their weight
/// in every round, and the guessed fingerprint of a room weighs as much as 30 s of samples, so that nothing drifts away from the names.
/// Labels are certain.
struct Learning {
    private static let rounds = 6
    /// dB below the smallest RSSI of all samples: the value for a gateway that did not receive the item.
    private static let unheard = 3.0
    /// Seconds per gateway below which nothing is learned without labels: less time is one walk only.
    private static let least = 30.0
    /// Samples at most. Of more, every nth window is used.
    private static let most = 60_000
    /// The log-likelihood, in nats per second, that a place loses during a survey of another room.
    private static let impossible = 1000.0
    /// The share of the time for which two halves of the past must agree.
    private static let trusted = 0.75

    let stateSpace: StateSpace
    private(set) var windows: [(moments: [TrainingSample], room: Int?)] = []
    private let mean: Double

    init?(site: Site, lived: [RSSIHistory], surveys: [Survey]) {
        let stateSpace = StateSpace(site: site)
        let frame = stateSpace.frame
        var windows: [(moments: [TrainingSample], room: Int?)] = []
        for history in lived { windows += TrainingSample.windows(of: history, frame: frame).map { ($0, nil) } }
        let seconds = windows.reduce(0) { $0 + $1.moments.reduce(0) { $0 + $1.seconds } }
        if seconds < Self.least * Double(frame.gateways.count) { windows = [] }
        let moments = windows.reduce(0) { $0 + $1.moments.count }
        let nth = moments / Self.most + 1
        if nth > 1 { windows = windows.enumerated().filter { $0.offset % nth == 0 }.map(\.element) }
        for survey in surveys {
            guard let room = frame.roomIndices[survey.room] else { continue }
            // Who surveys a room stands still on purpose.
            let samples = TrainingSample.windows(of: survey.history, frame: frame, countsRest: true)
            windows += samples.map { ($0, room) }
        }
        guard !windows.isEmpty else { return nil }
        let faintest = windows.lazy.flatMap(\.moments).flatMap { $0.observation.received.map(\.rssi) }.min() ?? 0
        for window in windows.indices {
            for moment in windows[window].moments.indices {
                for column in frame.gateways.indices where windows[window].moments[moment].rssiValues[column].isNaN {
                    windows[window].moments[moment].rssiValues[column] = faintest - Self.unheard
                }
            }
        }
        self.stateSpace = stateSpace
        self.windows = windows
        mean = TrainingSample.mean(of: windows.flatMap(\.moments))
    }

    /// The share of the time for which two halves of the past, learned separately, give the same room.
    func agreement() -> Double {
        guard windows.contains(where: { $0.room == nil }) else { return 1 }
        let halves = [0, 1].map { half -> Learning in
            var part = self
            let chosen = windows.enumerated().filter { $0.offset % 2 == half || $0.element.room != nil }
            part.windows = chosen.map(\.element)
            return part
        }
        return accord(between: halves.map { LocatorModel(stateSpace: stateSpace, learned: $0.result(agreement: 1)) })
    }

    /// The share of the time without labels for which two models give the same room.
    private func accord(between models: [LocatorModel]) -> Double {
        var same = 0.0
        var all = 0.0
        for window in windows where window.room == nil {
            var counts: [Double] = []
            let posteriors = models.map { smooth(window.moments, $0, counts: &counts) }
            for (index, moment) in window.moments.enumerated() {
                all += moment.seconds
                if Self.likeliest(posteriors[0][index]) == Self.likeliest(posteriors[1][index]) {
                    same += moment.seconds
                }
            }
        }
        return all > 0 ? same / all : 1
    }

    private static func likeliest(_ rooms: [Double]) -> Int? { rooms.indices.max { rooms[$0] < rooms[$1] } }

    /// The learned model, validated on the past; `nil` if two halves of the past disagree too often. Surveys need no validation.
    func judged() -> Learned? {
        let agreement = agreement()
        if agreement >= Self.trusted {
            var learned = result(agreement: agreement)
            let models = [nil, learned].map { LocatorModel(stateSpace: stateSpace, learned: $0) }
            learned.difference = 1 - accord(between: models)
            return learned
        }
        var labelled = self
        labelled.windows = windows.filter { $0.room != nil }
        return labelled.windows.isEmpty ? nil : labelled.result(agreement: 1)
    }

    /// Runs all rounds.
    private func result(agreement: Double) -> Learned {
        let hasLived = windows.contains { $0.room == nil }
        var learned: Learned?
        for _ in 0..<(hasLived ? Self.rounds : 1) {
            let (rooms, transitions, sums) = expect(LocatorModel(stateSpace: stateSpace, learned: learned))
            learned = maximise(rooms, transitions: hasLived ? transitions : nil, agreement: agreement)
            if let plan = stateSpace.plan, let sums {
                learned?.correction = PlanCorrection(sums, stateSpace: stateSpace, plan: plan)
            }
        }
        return learned ?? maximise([], transitions: nil, agreement: agreement)
    }

    // MARK: Expectation

    /// The expectation step: the posterior of each room at each sample of each window, the transition matrix, and the deviations from the
    /// plan.
    private func expect(_ model: LocatorModel) -> (
        rooms: [[[Double]]], transitions: TransitionMatrix?, sums: PlanCorrection.Sums?
    ) {
        let places = stateSpace.places.count
        var counts = stateSpace.plan == nil ? Array(repeating: 0.0, count: places * places) : []
        var sums = stateSpace.cells.map { PlanCorrection.Sums($0) }
        let rooms = windows.map { window in
            if let room = window.room {
                // A survey states the room. The plan shows where in that room the item was.
                if sums != nil { _ = smooth(window.moments, model, room: room, counts: &counts, sums: &sums) }
                let certain = stateSpace.frame.rooms.indices.map { $0 == room ? 1.0 : 0 }
                return Array(repeating: certain, count: window.moments.count)
            }
            return smooth(window.moments, model, counts: &counts, sums: &sums)
        }
        return (rooms, stateSpace.plan == nil ? TransitionMatrix(rooms: stateSpace.names, counts: counts) : nil, sums)
    }

    /// The posterior of each room at each sample, given the whole window (forward-backward algorithm). Adds the expected transitions to
    /// `counts`, unless `counts` is empty.
    func smooth(_ moments: [TrainingSample], _ model: LocatorModel, counts: inout [Double]) -> [[Double]] {
        var sums: PlanCorrection.Sums?
        return smooth(moments, model, counts: &counts, sums: &sums)
    }

    /// The same, in one room if `room` is given. Adds the deviations from the plan to `sums`.
    private func smooth(
        _ moments: [TrainingSample], _ model: LocatorModel, room: Int? = nil, counts: inout [Double],
        sums: inout PlanCorrection.Sums?
    ) -> [[Double]] {
        let places = stateSpace.places.count
        var weights = Array(repeating: Array(repeating: 0.0, count: places), count: moments.count)
        var forwards: [[Double]] = []
        var belief = stateSpace.prior
        for (index, moment) in moments.enumerated() {
            model.weigh(moment.observation, into: &weights[index])
            if let room {
                for place in 0..<places where stateSpace.places[place] != room {
                    weights[index][place] -= Self.impossible
                }
            }
            model.motion.move(&belief, seconds: moment.seconds)
            LocatorModel.multiply(&belief, byExponentialOf: weights[index], times: moment.seconds)
            forwards.append(belief)
        }
        var backwards = Array(repeating: 1.0, count: places)
        var rooms = Array(repeating: Array(repeating: 0.0, count: stateSpace.frame.rooms.count), count: moments.count)
        for index in moments.indices.reversed() {
            var sum = 0.0
            for place in 0..<places {
                let share = forwards[index][place] * backwards[place]
                rooms[index][stateSpace.places[place]] += share
                sum += share
            }
            for room in rooms[index].indices { rooms[index][room] /= sum }
            if sums != nil, let plan = stateSpace.cells, let corrected = model.cells {
                let shares = zip(forwards[index], backwards).map { $0 * $1 / sum }
                sums?.add(
                    moments[index].observation, seconds: moments[index].weight, places: shares, plan: plan,
                    corrected: corrected)
            }
            LocatorModel.multiply(&backwards, byExponentialOf: weights[index], times: moments[index].seconds)
            if index > 0 {
                model.motion.addTransitions(
                    from: forwards[index - 1], to: backwards, seconds: moments[index].seconds, into: &counts)
            }
            model.motion.moveBack(&backwards, seconds: moments[index].seconds)
        }
        return rooms
    }

    // MARK: Maximisation

    /// Replaces the values of gateways that did not scan by the guess from the names.
    private static func filled(_ rssiValues: [Double], with guess: [Double]) -> [Double] {
        if rssiValues.allSatisfy(\.isFinite) { return rssiValues }
        return zip(rssiValues, guess).map { $0.isFinite ? $0 : $1 }
    }

    /// The maximisation step: the fingerprints of each room, anchored to the guess from the names.
    private func maximise(_ expected: [[[Double]]], transitions: TransitionMatrix?, agreement: Double) -> Learned {
        let frame = stateSpace.frame
        let moments = windows.flatMap(\.moments)
        let labelled = windows.flatMap { window in window.moments.map { _ in window.room != nil } }
        let rooms = expected.flatMap { $0 }
        var fingerprints: [Learned.Fingerprint] = []
        var squares = 0.0
        for (room, name) in frame.rooms.enumerated() where !rooms.isEmpty {
            let weights = moments.indices.map { rooms[$0][room] * moments[$0].seconds }
            let guess = Learned.guess(of: room, served: frame.served, mean: mean)
            let rssiValues = moments.map { Self.filled($0.rssiValues, with: guess) }
            let found = FingerprintClusters.find(rssiValues, weights: weights, labelled: labelled)
            let anchor = Learned.anchor / Double(max(found.count, 1))
            for fingerprint in found {
                squares += fingerprint.squares
                // Labels need no anchor in the names.
                let tie = anchor * (1 - fingerprint.labelled / fingerprint.weight)
                let rssiValues = zip(fingerprint.rssiValues, guess).map {
                    (fingerprint.weight * $0 + tie * $1) / (fingerprint.weight + tie)
                }
                fingerprints.append(
                    Learned.Fingerprint(
                        room: name, seconds: fingerprint.weight, surveyed: fingerprint.labelled / fingerprint.weight,
                        rssiValues: rssiValues))
            }
        }
        let spread = (squares / max(moments.reduce(0) { $0 + $1.seconds }, 1)).squareRoot()
        func seconds(ofSurveys: Bool) -> Double {
            zip(moments, labelled).reduce(0) { $1.1 == ofSurveys ? $0 + $1.0.seconds : $0 }
        }
        return Learned(
            gateways: frame.gateways.map(\.id), fingerprints: fingerprints, transitions: transitions, mean: mean,
            spread: spread,
            lived: seconds(ofSurveys: false), surveyed: seconds(ofSurveys: true), agreement: agreement)
    }
}

extension Learned {
    /// Learns from RSSI histories without labels, and from surveys; `nil` if there are too few samples.
    package static func learn(site: Site, from lived: [RSSIHistory], surveys: [Survey] = []) -> Learned? {
        Learning(site: site, lived: lived, surveys: surveys)?.judged()
    }
}
