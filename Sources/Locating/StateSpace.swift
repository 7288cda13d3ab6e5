/// The state space of the filter, as it follows from the site alone: places, motion, prior, and the RSSI that the floor plan predicts.
struct StateSpace: Sendable {
    let site: Site
    let frame: SiteFrame
    let plan: Plan?
    /// The room of each place: the cells of the plan first, then one place for each room without an outline.
    let places: [Int]
    let motion: Motion
    let prior: [Double]
    /// The RSSI that the plan predicts at each place; `nil` without a plan.
    let cells: Evidence?
    /// The names of the rooms without an outline that are places.
    let undrawn: [String]

    var names: [String] { places.map { frame.rooms[$0] } }

    /// Creates the places of a site. A room without an outline and without a gateway is a place, too: an item that no gateway receives well may be there.
    init(site: Site) {
        let frame = SiteFrame(site)
        let plan = Plan(site: site)
        let drawn = Set(plan?.cells.map(\.room) ?? [])
        let undrawn = frame.rooms.indices.filter { !drawn.contains($0) }
        let places = (plan?.cells.map(\.room) ?? []) + undrawn
        motion = Motion(rooms: places, edges: plan?.edges() ?? [])
        prior = motion.prior(places: places.count)
        cells = plan.map { Self.evidence($0, frame, places: places, correction: nil) }
        self.places = places
        self.undrawn = undrawn.map { frame.rooms[$0] }
        self.site = site
        self.frame = frame
        self.plan = plan
    }

    /// Whether the places are those of a former state space, in the same order, and still hold what they held.
    ///
    /// - Parameter heirs: this state space's room for each of the former one.
    func hasPlaces(of former: StateSpace, heirs: [Int?]) -> Bool {
        places == former.places && plan?.cells == former.plan?.cells && heirs == frame.rooms.indices.map { $0 }
    }

    /// A belief from the posterior of each room of a former state space.
    ///
    /// - Parameter heirs: this state space's room for each of the former one.
    func belief(ofRooms masses: [Double], heirs: [Int?]) -> [Double] {
        var shares = Array(repeating: 0.0, count: frame.rooms.count)
        for (mass, heir) in zip(masses, heirs) { if let heir { shares[heir] += mass } }
        let belief = zip(prior, places).map { max($0 * shares[$1], 1e-12) }
        let sum = belief.reduce(0, +)
        return belief.map { $0 / sum }
    }

    /// The RSSI that the plan predicts at each place, with a learned correction; `nil` if the correction belongs to another plan.
    func cells(corrected correction: PlanCorrection) -> Evidence? {
        guard let plan, correction.isOf(plan, undrawn: undrawn) else { return nil }
        return Self.evidence(plan, frame, places: places, correction: correction)
    }

    private static func evidence(
        _ plan: Plan, _ frame: SiteFrame, places: [Int], correction: PlanCorrection?
    ) -> Evidence {
        var fingerprints = Fingerprints(gateways: frame.gateways.count)
        let learned = frame.gateways.map { correction?.index(ofGateway: $0.id) }
        for (place, room) in places.enumerated() {
            let cell = plan.cells.indices.contains(place) ? plan.cells[place] : nil
            let rssiValues = frame.gateways.enumerated().map { index, gateway in
                let guess = frame.served[index].contains(room) ? Plan.withoutPosition.own : Plan.withoutPosition.other
                let rssi = cell.flatMap { plan.rssi(of: gateway, from: $0) } ?? guess
                guard let correction, let learned = learned[index] else { return rssi }
                return rssi + correction.correction(place, learned)
            }
            fingerprints.append(rssiValues, spread: Plan.spread)
        }
        return Evidence(fingerprints, offset: Tuning.plan.offset)
    }
}
