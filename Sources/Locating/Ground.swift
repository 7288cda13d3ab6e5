/// What follows from a site alone: its places, how one moves among them, and how they should sound by the plan.
struct Ground: Sendable {
    let site: Site
    let frame: SiteFrame
    let plan: Plan?
    /// The room of each place: the cells of the plan first, then the rooms without an outline, one place each.
    let places: [Int]
    let motion: Motion
    let start: [Double]
    /// How the places should sound by the plan; `nil` without one.
    let cells: Evidence?
    /// The names of the rooms without an outline that are places.
    let undrawn: [String]

    /// The name of each place's room.
    var names: [String] { places.map { frame.rooms[$0] } }

    /// Rooms without an outline, a gateway, or a sound in `taught` cannot be told and are no places.
    init(site: Site, taught: Set<String>) {
        let frame = SiteFrame(site)
        let plan = Plan(site: site)
        let drawn = Set(plan?.cells.map(\.room) ?? [])
        let known = Set(frame.served.joined())
        let undrawn = frame.rooms.indices.filter { room in
            !drawn.contains(room) && (known.contains(room) || taught.contains(frame.rooms[room]))
        }
        let places = (plan?.cells.map(\.room) ?? []) + undrawn
        motion = Motion(rooms: places, edges: plan?.edges() ?? [])
        start = motion.start(places: places.count)
        cells = plan.map { Self.evidence($0, frame, places: places, correction: nil) }
        self.places = places
        self.undrawn = undrawn.map { frame.rooms[$0] }
        self.site = site
        self.frame = frame
        self.plan = plan
    }

    /// The levels that the plan predicts at each place, corrected by what was learned; `nil` if that was learned of another plan.
    func cells(corrected correction: PlanCorrection) -> Evidence? {
        guard let plan, correction.isOf(plan, undrawn: undrawn) else { return nil }
        return Self.evidence(plan, frame, places: places, correction: correction)
    }

    private static func evidence(_ plan: Plan, _ frame: SiteFrame, places: [Int], correction: PlanCorrection?)
        -> Evidence
    {
        var signatures = Signatures(gateways: frame.gateways.count)
        let learned = frame.gateways.map { correction?.index(ofGateway: $0.id) }
        for (place, room) in places.enumerated() {
            let cell = plan.cells.indices.contains(place) ? plan.cells[place] : nil
            let levels = frame.gateways.enumerated().map { index, gateway in
                let guess = frame.served[index].contains(room) ? Plan.withoutPosition.own : Plan.withoutPosition.other
                let level = cell.flatMap { plan.level(of: gateway, from: $0) } ?? guess
                guard let correction, let learned = learned[index] else { return level }
                return level + correction.correction(place, learned)
            }
            signatures.append(levels, spread: Plan.spread)
        }
        return Evidence(signatures, offset: Tuning.plan.offset)
    }
}
