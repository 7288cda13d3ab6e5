/// What is wrong with a site, in words for whoever wrote it down.
public enum SiteProblem: Hashable, Sendable, CustomStringConvertible {
    /// Two rooms with one name.
    case doubleRoom(String)
    /// Two gateways with one id.
    case doubleGateway(String)
    /// Two rooms of one storey share more than a sliver of ground.
    case overlap(String, String, squareMetres: Double)
    /// A door leads to a room that there is not.
    case doorToNowhere(String)
    /// A door joins a room with itself.
    case doorWithin(String)
    /// A door stands further than 1 m from one of its rooms.
    case doorAway(from: String, to: String, metres: Double)
    /// A gateway stands in no room of its storey.
    case gatewayOutside(String)
    /// A gateway stands in another room than the one it says it serves.
    case gatewayElsewhere(String, serves: String, standsIn: String)

    /// One sentence: what is so, and what to write instead.
    public var description: String {
        switch self {
        case .doubleRoom(let name): "room '\(name)' is there twice; give each room a name of its own"
        case .doubleGateway(let id): "gateway '\(id)' is there twice; give each gateway an id of its own"
        case .overlap(let one, let other, let area):
            "rooms '\(one)' and '\(other)' overlap by \(tenths(area)) m²; rooms of one floor lie side by side"
        case .doorToNowhere(let name): "a door leads to '\(name)', which is no room of the site"
        case .doorWithin(let name): "a door leads from '\(name)' to itself; name the two rooms that it joins"
        case .doorAway(let from, let to, let metres):
            "the door from '\(from)' to '\(to)' is \(tenths(metres)) m away from one of them; at_m is where it is"
        case .gatewayOutside(let id): "gateway '\(id)' stands in no room of its floor; correct position_m or floor"
        case .gatewayElsewhere(let id, let serves, let room):
            "gateway '\(id)' serves '\(serves)' but stands in '\(room)'; correct room or position_m"
        }
    }

    private func tenths(_ value: Double) -> String {
        let count = Int((min(value, 1e12) * 10).rounded())
        return "\(count / 10).\(count % 10)"
    }
}
