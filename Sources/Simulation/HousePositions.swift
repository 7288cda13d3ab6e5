import Glibc

/// Where everything in a house is: the truth that gateways estimate.
///
/// Asking for ascending times is quick; any order is right. It keeps half an hour of path per person.
public struct HousePositions: Sendable {
    private let plan: House.Plan
    private let motions: [House.Transmitter.Motion]
    private var walkers: [Walker]

    /// Of the tags and bystanders of `house`.
    public init(_ house: House) {
        plan = house.plan
        motions = house.transmitters.map(\.motion)
        walkers = house.people.indices.map { Walker(of: $0, in: house) }
    }

    /// Where the tag (by index) is at that time.
    public mutating func position(ofTag tag: Int, at time: HouseTime) -> House.Position {
        position(ofTransmitter: tag, at: time)
    }

    /// Which room (by index) the tag is in at that time; `nil`: it is away.
    public mutating func room(ofTag tag: Int, at time: HouseTime) -> Int? {
        plan.room(at: position(ofTag: tag, at: time))
    }

    private mutating func position(ofTransmitter index: Int, at time: HouseTime) -> House.Position {
        switch motions[index] {
        case .rests(let position): position
        case .carried(let person, let height, _): walkers[person].position(at: time).raised(by: height)
        }
    }

    mutating func antenna(ofTransmitter index: Int, at time: HouseTime) -> Antenna {
        switch motions[index] {
        case .rests(let position): return Antenna(position: position, free: nil)
        case .carried(let person, let height, let side):
            let pose = walkers[person].pose(at: time)
            let (x, y) = (cos(side), sin(side))
            let free = (pose.facing.x * x - pose.facing.y * y, pose.facing.x * y + pose.facing.y * x)
            return Antenna(position: pose.position.raised(by: height), free: free)
        }
    }
}
