import Beacons

/// Learns how the rooms of a site sound from what items sounded like there, with labels or without.
///
/// Expectation and maximisation: the filter, run forwards and backwards over the past, says how likely each room was at each moment;
/// from that follow a few typical sounds per room; with these the filter says it better. The names keep their say in every
/// round, and a room's guessed sound weighs 30 s of hearing, so that nothing drifts away from the names. Labels are believed.
struct Learning {
    private static let rounds = 6
    /// dB below the faintest that was ever heard: what stands for a gateway that did not hear.
    private static let unheard = 3.0
    /// Seconds of living per gateway below which nothing is learned without labels: less is one walk, not a life.
    private static let least = 30.0
    /// Moments learned from at most; of more, whole windows are left out evenly.
    private static let most = 60_000
    /// The log-likelihood, in nats per second, that a place loses during a survey of another room.
    private static let impossible = 1000.0
    /// The share of moments on which two halves of the past must agree.
    private static let trusted = 0.75

    let ground: Ground
    private(set) var windows: [(moments: [Moment], room: Int?)] = []
    private let mean: Double

    init?(site: Site, lived: [LevelHistory], surveys: [Survey]) {
        let ground = Ground(site: site, taught: Set(surveys.map(\.room)))
        let frame = ground.frame
        var windows: [(moments: [Moment], room: Int?)] = []
        for history in lived { windows += Moment.windows(of: history, frame: frame).map { ($0, nil) } }
        let seconds = windows.reduce(0) { $0 + $1.moments.reduce(0) { $0 + $1.seconds } }
        if seconds < Self.least * Double(frame.gateways.count) { windows = [] }
        let moments = windows.reduce(0) { $0 + $1.moments.count }
        let nth = moments / Self.most + 1
        if nth > 1 { windows = windows.enumerated().filter { $0.offset % nth == 0 }.map(\.element) }
        for survey in surveys {
            guard let room = frame.roomIndices[survey.room] else { continue }
            windows += Moment.windows(of: survey.history, frame: frame).map { ($0, room) }
        }
        guard !windows.isEmpty else { return nil }
        let faintest = windows.lazy.flatMap(\.moments).flatMap { $0.hearing.heard.map(\.level) }.min() ?? 0
        for window in windows.indices {
            for moment in windows[window].moments.indices {
                for column in frame.gateways.indices where windows[window].moments[moment].levels[column].isNaN {
                    windows[window].moments[moment].levels[column] = faintest - Self.unheard
                }
            }
        }
        self.ground = ground
        self.windows = windows
        mean = Moment.mean(of: windows.flatMap(\.moments))
    }

    /// Of the moments that were heard, the share in which two halves of the past, learned from separately, say the same room.
    func agreement() -> Double {
        guard windows.contains(where: { $0.room == nil }) else { return 1 }
        let halves = [0, 1].map { half -> Learning in
            var part = self
            let kept = windows.enumerated().filter { $0.offset % 2 == half || $0.element.room != nil }
            part.windows = kept.map(\.element)
            return part
        }
        return accord(between: halves.map { LocatorModel(ground: ground, learned: $0.result(agreement: 1)) })
    }

    /// Of the moments that were lived, the share at which two models say the same room.
    private func accord(between models: [LocatorModel]) -> Double {
        var same = 0.0
        var all = 0.0
        for window in windows where window.room == nil {
            var taken: [Double] = []
            let said = models.map { smooth(window.moments, $0, taken: &taken) }
            for (index, moment) in window.moments.enumerated() {
                all += moment.seconds
                if Self.likeliest(said[0][index]) == Self.likeliest(said[1][index]) { same += moment.seconds }
            }
        }
        return all > 0 ? same / all : 1
    }

    private static func likeliest(_ rooms: [Double]) -> Int? { rooms.indices.max { rooms[$0] < rooms[$1] } }

    /// What was learned, judged on the past: `nil` where two halves of it would say different rooms too often. Surveys need no judge.
    func judged() -> Learned? {
        let agreement = agreement()
        if agreement >= Self.trusted {
            var learned = result(agreement: agreement)
            // Beside a plan the guess from the names is the worse one: there a refused room cost one house 24 points.
            if ground.plan == nil {
                learned = learned.without(contradicted(by: LocatorModel(ground: ground, learned: learned)))
            }
            let models = [nil, learned].map { LocatorModel(ground: ground, learned: $0) }
            learned.difference = 1 - accord(between: models)
            return learned
        }
        var labelled = self
        labelled.windows = windows.filter { $0.room != nil }
        return labelled.windows.isEmpty ? nil : labelled.result(agreement: 1)
    }

    /// What was learned in the end.
    private func result(agreement: Double) -> Learned {
        let hasLived = windows.contains { $0.room == nil }
        var learned: Learned?
        for _ in 0..<(hasLived ? Self.rounds : 1) {
            let (rooms, ways, sums) = expect(LocatorModel(ground: ground, learned: learned))
            learned = maximise(rooms, ways: hasLived ? ways : nil, agreement: agreement)
            if let plan = ground.plan, let sums {
                learned?.correction = PlanCorrection(sums, ground: ground, plan: plan)
            }
        }
        return learned ?? maximise([], ways: nil, agreement: agreement)
    }

    // MARK: Expectation

    /// How likely each room was at each moment of each window, how one went from room to room, and how far off the plan the levels were.
    private func expect(_ model: LocatorModel) -> (rooms: [[[Double]]], ways: Ways?, sums: PlanCorrection.Sums?) {
        let places = ground.places.count
        var taken = ground.plan == nil ? Array(repeating: 0.0, count: places * places) : []
        var sums = ground.cells.map { PlanCorrection.Sums($0) }
        let rooms = windows.map { window in
            if let room = window.room {
                // A survey states the room. The plan states where in that room the item was.
                if sums != nil { _ = smooth(window.moments, model, room: room, taken: &taken, sums: &sums) }
                let certain = ground.frame.rooms.indices.map { $0 == room ? 1.0 : 0 }
                return Array(repeating: certain, count: window.moments.count)
            }
            return smooth(window.moments, model, taken: &taken, sums: &sums)
        }
        return (rooms, ground.plan == nil ? Ways(rooms: ground.names, taken: taken) : nil, sums)
    }

    /// Forwards, then backwards: the belief in each room at each moment, given all of the window. The ways taken are added up, if wanted.
    func smooth(_ moments: [Moment], _ model: LocatorModel, taken: inout [Double]) -> [[Double]] {
        var sums: PlanCorrection.Sums?
        return smooth(moments, model, taken: &taken, sums: &sums)
    }

    /// The same, in one room if that is given; adds how far off the plan the levels are to `sums`.
    private func smooth(
        _ moments: [Moment], _ model: LocatorModel, room: Int? = nil, taken: inout [Double],
        sums: inout PlanCorrection.Sums?
    ) -> [[Double]] {
        let places = ground.places.count
        var weights = Array(repeating: Array(repeating: 0.0, count: places), count: moments.count)
        var forwards: [[Double]] = []
        var belief = ground.start
        for (index, moment) in moments.enumerated() {
            model.weigh(moment.hearing, into: &weights[index])
            if let room {
                for place in 0..<places where ground.places[place] != room { weights[index][place] -= Self.impossible }
            }
            model.motion.move(&belief, seconds: moment.seconds)
            LocatorModel.multiply(&belief, byExponentialOf: weights[index], times: moment.seconds)
            forwards.append(belief)
        }
        var backwards = Array(repeating: 1.0, count: places)
        var rooms = Array(repeating: Array(repeating: 0.0, count: ground.frame.rooms.count), count: moments.count)
        for index in moments.indices.reversed() {
            var sum = 0.0
            for place in 0..<places {
                let share = forwards[index][place] * backwards[place]
                rooms[index][ground.places[place]] += share
                sum += share
            }
            for room in rooms[index].indices { rooms[index][room] /= sum }
            if sums != nil, let plan = ground.cells, let corrected = model.cells {
                let shares = zip(forwards[index], backwards).map { $0 * $1 / sum }
                sums?.add(
                    moments[index].hearing, seconds: moments[index].seconds, places: shares, plan: plan,
                    corrected: corrected)
            }
            LocatorModel.multiply(&backwards, byExponentialOf: weights[index], times: moments[index].seconds)
            if index > 0 {
                model.motion.addWays(
                    from: forwards[index - 1], to: backwards, seconds: moments[index].seconds, into: &taken)
            }
            model.motion.moveBack(&backwards, seconds: moments[index].seconds)
        }
        return rooms
    }

    // MARK: Maximisation

    /// Where a gateway did not listen, what the names lead one to expect stands for it.
    private static func filled(_ levels: [Double], with guess: [Double]) -> [Double] {
        if levels.allSatisfy(\.isFinite) { return levels }
        return zip(levels, guess).map { $0.isFinite ? $0 : $1 }
    }

    /// The typical sounds of each room, each tied to the guess from the names.
    private func maximise(_ expected: [[[Double]]], ways: Ways?, agreement: Double) -> Learned {
        let frame = ground.frame
        let moments = windows.flatMap(\.moments)
        let labelled = windows.flatMap { window in window.moments.map { _ in window.room != nil } }
        let rooms = expected.flatMap { $0 }
        var sounds: [Learned.Sound] = []
        var squares = 0.0
        for (room, name) in frame.rooms.enumerated() where !rooms.isEmpty {
            let weights = moments.indices.map { rooms[$0][room] * moments[$0].seconds }
            let guess = Learned.guess(of: room, served: frame.served, mean: mean)
            let levels = moments.map { Self.filled($0.levels, with: guess) }
            let found = Sounds.find(levels, weights: weights, labelled: labelled)
            let anchor = Learned.anchor / Double(max(found.count, 1))
            for sound in found {
                squares += sound.squares
                // Labels need no tie to the names: they say themselves where it was.
                let tie = anchor * (1 - sound.labelled / sound.weight)
                let levels = zip(sound.levels, guess).map { (sound.weight * $0 + tie * $1) / (sound.weight + tie) }
                sounds.append(
                    Learned.Sound(
                        room: name, seconds: sound.weight, surveyed: sound.labelled / sound.weight, levels: levels))
            }
        }
        let spread = (squares / max(moments.reduce(0) { $0 + $1.seconds }, 1)).squareRoot()
        func seconds(ofSurveys: Bool) -> Double {
            zip(moments, labelled).reduce(0) { $1.1 == ofSurveys ? $0 + $1.0.seconds : $0 }
        }
        return Learned(
            gateways: frame.gateways.map(\.id), sounds: sounds, ways: ways, mean: mean, spread: spread,
            lived: seconds(ofSurveys: false), surveyed: seconds(ofSurveys: true), agreement: agreement)
    }
}

extension Learned {
    /// Learns from how items sounded, without labels, and from surveys; `nil` where that is too little.
    public static func learn(site: Site, from lived: [LevelHistory], surveys: [Survey] = []) -> Learned? {
        Learning(site: site, lived: lived, surveys: surveys)?.judged()
    }
}
