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

    /// The name of each place's room.
    var names: [String] { places.map { frame.rooms[$0] } }

    /// Rooms without an outline, a gateway, or a sound in `taught` cannot be told and are no places.
    init(site: Site, taught: Set<String>) {
        let frame = SiteFrame(site)
        let plan = Plan(site: site)
        let drawn = Set(plan?.cells.map(\.room) ?? [])
        let known = Set(frame.owners.compactMap { $0 })
        let undrawn = frame.rooms.indices.filter { room in
            !drawn.contains(room) && (known.contains(room) || taught.contains(frame.rooms[room]))
        }
        places = (plan?.cells.map(\.room) ?? []) + undrawn
        motion = Motion(rooms: places, edges: plan?.edges() ?? [])
        start = motion.start(places: places.count)
        cells = plan.map { plan in
            var signatures = plan.signatures(gateways: frame.gateways, owners: frame.owners)
            for room in undrawn {
                signatures.append(
                    frame.owners.map { $0 == room ? Plan.withoutPosition.own : Plan.withoutPosition.other },
                    spread: Plan.spread)
            }
            return Evidence(signatures, offset: Tuning.plan.offset)
        }
        self.site = site
        self.frame = frame
        self.plan = plan
    }
}
