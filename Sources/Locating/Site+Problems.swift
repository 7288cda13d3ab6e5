extension Site {
    /// Everything that is wrong with it, in the order of its rooms, doors and gateways.
    public func problems() -> [SiteProblem] {
        doubles() + overlaps() + doors.flatMap(problems(of:)) + gateways.compactMap(problem(of:))
    }

    private func doubles() -> [SiteProblem] {
        var seen = Set<String>()
        let rooms = rooms.filter { !seen.insert($0.name).inserted }.map { SiteProblem.doubleRoom($0.name) }
        seen = []
        return rooms + gateways.filter { !seen.insert($0.id).inserted }.map { .doubleGateway($0.id) }
    }

    private func overlaps() -> [SiteProblem] {
        var problems: [SiteProblem] = []
        for (index, one) in rooms.enumerated() {
            for other in rooms.dropFirst(index + 1) where other.floor == one.floor && other.name != one.name {
                guard let a = one.polygon, let b = other.polygon else { continue }
                let shared = a.overlap(with: b)
                // Walls are thin, and people measure to the centimetre at best.
                if shared > 0.03 * min(a.area, b.area) {
                    problems.append(.overlap(one.name, other.name, squareMetres: shared))
                }
            }
        }
        return problems
    }

    private func problems(of door: Door) -> [SiteProblem] {
        let names = Set(everyRoom.map(\.name))
        let unknown = [door.from, door.to].filter { !names.contains($0) }
        if !unknown.isEmpty { return unknown.map { .doorToNowhere($0) } }
        if door.from == door.to { return [.doorWithin(door.from)] }
        guard let at = door.at else { return [] }
        let sides = rooms.filter { $0.name == door.from || $0.name == door.to }.compactMap(\.polygon)
        let furthest = sides.map { $0.contains(at) ? 0 : $0.distance(to: at) }.max() ?? 0
        return furthest > 1 ? [.doorAway(from: door.from, to: door.to, metres: furthest)] : []
    }

    private func problem(of gateway: Gateway) -> SiteProblem? {
        guard let position = gateway.position else { return nil }
        let floor = floor(of: gateway)
        let drawn = rooms.filter { $0.floor == floor && $0.polygon != nil }
        guard !drawn.isEmpty else { return nil }
        // On the wall is in the room: a gateway within 0.5 m of its room's outline stands in it.
        let near = drawn.filter { $0.polygon.map { $0.contains(position) || $0.distance(to: position) < 0.5 } ?? false }
        guard let nearest = near.first else { return .gatewayOutside(gateway.id) }
        guard let serves = gateway.room, drawn.contains(where: { $0.name == serves }),
            !near.contains(where: { $0.name == serves })
        else { return nil }
        return .gatewayElsewhere(gateway.id, serves: serves, standsIn: nearest.name)
    }
}
