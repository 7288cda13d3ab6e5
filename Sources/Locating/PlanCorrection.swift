import Glibc

/// A learned correction of a plan: how much more or less each gateway receives at each place than the plan predicts.
struct PlanCorrection: Hashable, Sendable {
    /// Metres over which a correction holds: shadowing is correlated over 2 m.
    private static let reach = 1.2
    /// The part of a correction that holds in another room near by, and the part that holds anywhere: a receiver is better or worse everywhere.
    private static let (throughWalls, anywhere) = (0.2, 0.01)
    /// Seconds: the weight of the plan, about two independent observations of a person who turns every 20 s.
    private static let anchor = 40.0
    /// A place where the item was less likely than that adds nothing.
    private static let least = 0.01

    /// By place and gateway, the sum of the deviations in dB times seconds, and the seconds.
    struct Sums {
        fileprivate var off: [Double]
        fileprivate var seconds: [Double]

        /// Nothing was received yet.
        init(_ evidence: Evidence) {
            off = Array(repeating: 0, count: evidence.places * evidence.gateways)
            seconds = off
        }

        /// Adds the deviations of an observation from the plan, given the posterior of each place. The item's own offset, as the corrected
        /// plan shows it, is subtracted.
        mutating func add(
            _ observation: Observation, seconds span: Double, places shares: [Double], plan: Evidence,
            corrected: Evidence
        ) {
            for (place, share) in shares.enumerated() where share > PlanCorrection.least {
                let common = corrected.common(place, observation)
                for (gateway, rssi) in observation.received {
                    let index = place * plan.gateways + gateway
                    off[index] += share * span * (rssi - common - plan.rssi(place, gateway))
                    seconds[index] += share * span
                }
            }
        }
    }

    /// The places that the corrections are of: cells, and the names of the rooms without an outline behind them.
    private let cells: [Plan.Cell]
    private let undrawn: [String]
    /// The gateways' ids, in the order of each place's corrections.
    private let gateways: [String]
    /// dB, place by place.
    private let corrections: [Double]

    init(_ sums: Sums, stateSpace: StateSpace, plan: Plan) {
        cells = plan.cells
        undrawn = stateSpace.undrawn
        gateways = stateSpace.frame.gateways.map(\.id)
        let count = gateways.count
        var corrections = Array(repeating: 0.0, count: stateSpace.places.count * count)
        for to in stateSpace.places.indices {
            var off = Array(repeating: 0.0, count: count)
            var seconds = off
            for from in stateSpace.places.indices {
                let weight = Self.weight(from, to, of: plan.cells)
                for gateway in 0..<count {
                    off[gateway] += weight * sums.off[from * count + gateway]
                    seconds[gateway] += weight * sums.seconds[from * count + gateway]
                }
            }
            for gateway in 0..<count {
                corrections[to * count + gateway] = off[gateway] / (seconds[gateway] + Self.anchor)
            }
        }
        self.corrections = corrections
    }

    /// How much of what was received at one place holds at another one.
    private static func weight(_ from: Int, _ to: Int, of cells: [Plan.Cell]) -> Double {
        guard cells.indices.contains(from), cells.indices.contains(to) else { return from == to ? 1 : anywhere }
        let (a, b) = (cells[from], cells[to])
        guard a.floor == b.floor else { return anywhere }
        let distance = a.point.distance(to: b.point) / reach
        return anywhere + exp(-distance * distance / 2) * (a.room == b.room ? 1 : throughWalls)
    }

    func isOf(_ plan: Plan, undrawn names: [String]) -> Bool { cells == plan.cells && undrawn == names }

    /// The index of a gateway in each place's corrections; `nil` if nothing was learned of the gateway.
    func index(ofGateway id: String) -> Int? { gateways.firstIndex(of: id) }

    /// The correction of a gateway at a place, in dB: positive if the gateway receives more than the plan predicts.
    func correction(_ place: Int, _ gateway: Int) -> Double { corrections[place * gateways.count + gateway] }
}
