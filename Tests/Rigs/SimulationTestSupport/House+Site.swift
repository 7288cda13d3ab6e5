import Simulation

extension House {
    /// The site in the form of `aggregator.toml` and `--site`: rooms with their polygons, doors, gateways, items. A gateway's third coordinate is metres above
    /// its own floor. The front door leads to no room, and is left out.
    public var site: String {
        var tables: [String] = []
        for room in plan.rooms {
            let corners = [(0.0, 0.0), (1, 0), (1, 1), (0, 1)].map { room.point($0, $1) }
            let polygon = corners.map { "[\($0.x.centimetric), \($0.y.centimetric)]" }.joined(separator: ", ")
            tables.append(
                """
                [[room]]
                name = "\(room.name)"
                floor = \(room.floor)
                polygon_m = [\(polygon)]
                """)
        }
        for door in plan.doors {
            guard let to = door.to else { continue }
            tables.append(
                """
                [[door]]
                between = ["\(plan.rooms[door.from].name)", "\(plan.rooms[to].name)"]
                at_m = [\(door.at.x.centimetric), \(door.at.y.centimetric)]
                """)
        }
        for gateway in gateways {
            let floor = Plan.floor(of: gateway.position)
            let height = gateway.position.z - Double(floor) * Plan.storey
            tables.append(
                """
                [[gateway]]
                id = "\(gateway.id)"
                room = "\(gateway.room)"
                position_m = [\(gateway.position.x.centimetric), \(gateway.position.y.centimetric), \(height.centimetric)]
                floor = \(floor)
                """)
        }
        for tag in tags {
            tables.append(
                """
                [[item]]
                name = "\(tag.name)"
                uuid = "\(tag.beacon.uuid)"
                major = \(tag.beacon.major)
                minor = \(tag.beacon.minor)
                """)
        }
        return tables.joined(separator: "\n\n") + "\n"
    }
}
