import Beacons

/// The same process as `GilbertElliott`, as a function of time: a Poisson process of moments at each of which the state is drawn anew, bad with the
/// share's probability, is the alternation of exponential states, exactly.
///
/// Time is cut into cells of one such moment on average. A cell's moments come from its hash, so that the state at any time is found by
/// looking back to the last moment, one or two cells.
struct BurstClock: Sendable {
    private let share: Double
    private let cell: Int64
    private let seed: Seed

    init(_ bursts: Bursts, seed: Seed) {
        share = bursts.share
        // Redrawing hides the moments that draw the same state again: a bad one lasts 1 / (rate (1 - share)).
        cell = max(1, Int64(bursts.meanLength.seconds * (1 - bursts.share) * 1e9))
        self.seed = seed
    }

    func isBad(at time: HouseTime) -> Bool {
        var index = time.nanoseconds.divided(by: cell)
        var limit = Double(time.nanoseconds - index * cell) / Double(cell)
        // All of 64 cells are empty once in e^64.
        for _ in 0..<64 {
            if let state = lastState(in: seed[index], before: limit) { return state }
            (index, limit) = (index - 1, 1)
        }
        return false
    }

    /// What was drawn at the cell's last moment up to `limit`, a share of the cell; `nil`: there is none.
    private func lastState(in cell: Seed, before limit: Double) -> Bool? {
        var random = cell.generator
        var count = random.uniform() * Self.e
        var (term, moments) = (1.0, 0)
        // The number of moments is Poisson with mean 1: 1/0!, 1/1!, 1/2! ... of e.
        while count >= term, moments < 16 {
            count -= term
            moments += 1
            term /= Double(moments)
        }
        var latest = -1.0
        var state: Bool?
        for _ in 0..<moments {
            let moment = random.uniform()
            let isBad = random.chance(share)
            if moment <= limit, moment > latest { (latest, state) = (moment, isBad) }
        }
        return state
    }

    private static let e = 2.718281828459045
}
