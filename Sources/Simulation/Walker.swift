import Beacons
import Glibc

/// Follows one person through time, and draws the path of each period once.
struct Walker: Sendable {
    /// Where somebody is, and which way he faces.
    struct Pose {
        var position: House.Position
        /// The unit vector in the plan.
        var facing: (x: Double, y: Double)
    }

    /// How long a person who stands about faces one way.
    private static let turning = Interval.seconds(20)

    private let itinerary: Itinerary
    private let seed: Seed
    private var period: Int64?
    private var start = HouseTime.zero
    private var path: [Itinerary.Waypoint] = []
    private var index = 0

    init(of person: Int, in house: House) {
        itinerary = Itinerary(of: person, in: house)
        seed = Seed(house.seed)[.pose][person]
    }

    mutating func position(at time: HouseTime) -> House.Position {
        let seconds = seek(time)
        let (last, next) = (path[index], path[index + 1])
        return last.position.towards(next.position, share: Walker.share(seconds, from: last.time, to: next.time))
    }

    mutating func pose(at time: HouseTime) -> Pose {
        let position = position(at: time)
        let (from, to) = (path[index].position, path[index + 1].position)
        let (x, y) = (to.x - from.x, to.y - from.y)
        let length = (x * x + y * y).squareRoot()
        if length > 0 { return Pose(position: position, facing: (x / length, y / length)) }
        let angle = 3 * Noise.along(time.nanoseconds, length: Walker.turning.nanoseconds, seed: seed)
        return Pose(position: position, facing: (cos(angle), sin(angle)))
    }

    /// Finds the leg of `time`, and returns how many seconds of the period have passed.
    private mutating func seek(_ time: HouseTime) -> Double {
        let target = itinerary.period(at: time)
        if target != period {
            path = itinerary.path(of: target)
            start = itinerary.start(of: target)
            (period, index) = (target, 0)
        }
        let seconds = (time - start).seconds
        if seconds < path[index].time { index = 0 }
        while index + 2 < path.count, path[index + 1].time <= seconds { index += 1 }
        return seconds
    }

    private static func share(_ time: Double, from start: Double, to end: Double) -> Double {
        end > start ? max(0, min(1, (time - start) / (end - start))) : 1
    }
}
