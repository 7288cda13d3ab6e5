import Beacons

/// Where one person is at any time, drawn period by period so that nobody need have followed him since 1970.
///
/// Each period begins and ends at places that the hashes of its number and of the next one's give; in between there are as many stays, walks and
/// absences as fit. So the periods join, and each can be drawn alone.
struct Itinerary: Sendable {
    /// A corner of a path; the person goes straight on from one to the next at constant speed.
    struct Waypoint {
        /// Seconds since the period's beginning.
        var time: Double
        var position: House.Position
    }

    private struct Place {
        var room: Int?
        var position: House.Position
    }

    let plan: House.Plan
    let habits: House.Habits
    let goesOut: Bool
    let seed: Seed

    init(of person: Int, in house: House) {
        plan = house.plan
        habits = house.habits
        goesOut = house.people[person].goesOut && house.plan.frontDoor != nil
        seed = Seed(house.seed)[.itinerary][person]
        precondition(habits.period >= .seconds(120), "a period of two minutes at least")
    }

    /// The number of the period at `time`; people's periods do not begin together.
    func period(at time: HouseTime) -> Int64 { (time.nanoseconds - phase).divided(by: habits.period.nanoseconds) }

    func start(of period: Int64) -> HouseTime { HouseTime(nanoseconds: period * habits.period.nanoseconds + phase) }

    private var phase: Int64 { Int64(seed.unit * Double(habits.period.nanoseconds)) }

    /// The whole path of one period: at time 0 at its first place, at its end at the next one's.
    func path(of period: Int64) -> [Waypoint] {
        var chance = seed[period].generator
        let home = place(at: period + 1)
        var course = Course(at: place(at: period))
        while extend(&course, before: home, &chance) {}
        let way = way(from: course.place, to: home)
        let walk = House.length(of: way) / chance.uniform(in: habits.speed)
        course.stay(until: max(course.time, habits.period.seconds - walk))
        course.walk(way, to: home, during: walk)
        return course.waypoints
    }

    /// Adds a stay and a walk to another room, or out and back; `false` where that does not fit in.
    private func extend(_ course: inout Course, before home: Place, _ chance: inout SplitMix64) -> Bool {
        let stay = chance.uniform(in: habits.stay)
        let speed = chance.uniform(in: habits.speed)
        let away = chance.uniform(in: habits.away)
        let goesOutNow = goesOut && chance.chance(habits.goingOut)
        let isLeft = chance.chance(0.5)
        let next = place(notIn: course.place.room, &chance)
        let homeward = House.length(of: way(from: next, to: home)) / habits.speed.lowerBound
        let spare = habits.period.seconds - course.time - stay - homeward
        if goesOutNow, let street = street(isLeft: isLeft) {
            let out = way(from: course.place, to: street[0]) + [street[1].position]
            let back = [street[0].position] + way(from: street[0], to: next)
            let walks = (House.length(of: out) / speed, House.length(of: [street[1].position] + back) / speed)
            if walks.0 + away + walks.1 <= spare {
                course.stay(until: course.time + stay)
                course.walk(out, to: street[1], during: walks.0)
                course.stay(until: course.time + away)
                course.walk([street[1].position] + back, to: next, during: walks.1)
                return true
            }
        }
        let way = way(from: course.place, to: next)
        let walk = House.length(of: way) / speed
        guard walk <= spare else { return false }
        course.stay(until: course.time + stay)
        course.walk(way, to: next, during: walk)
        return true
    }

    private func place(at period: Int64) -> Place {
        var chance = seed[period][.pose].generator
        return place(notIn: nil, &chance)
    }

    private func place(notIn room: Int?, _ chance: inout SplitMix64) -> Place {
        let choices = plan.rooms.indices.filter { $0 != room || plan.rooms.count == 1 }
        let next = choices[Int(chance.next() % UInt64(choices.count))]
        return Place(room: next, position: plan.rooms[next].place(chance.uniform(), chance.uniform()))
    }

    /// The garden gate 5 m before the front door, and the end of the street to the left or right of it.
    private func street(isLeft: Bool) -> [Place]? {
        guard let index = plan.frontDoor else { return nil }
        let (door, end) = (plan.doors[index].at, plan.doors[index].far)
        let length = door.distance(to: end)
        let (x, y) = ((end.x - door.x) / length, (end.y - door.y) / length)
        let gate = House.Position(x: end.x + 5 * x, y: end.y + 5 * y, z: end.z)
        let side = isLeft ? habits.street : -habits.street
        return [gate, House.Position(x: gate.x - y * side, y: gate.y + x * side, z: gate.z)].map {
            Place(room: nil, position: $0)
        }
    }

    private func way(from start: Place, to end: Place) -> [House.Position] {
        [start.position] + plan.corners(from: start.room, to: end.room) + [end.position]
    }

    /// A path that grows.
    private struct Course {
        var place: Place
        var waypoints: [Waypoint]
        var time: Double { waypoints[waypoints.count - 1].time }

        init(at place: Place) {
            self.place = place
            waypoints = [Waypoint(time: 0, position: place.position)]
        }

        mutating func stay(until time: Double) {
            waypoints.append(Waypoint(time: time, position: place.position))
        }

        mutating func walk(_ way: [House.Position], to place: Place, during seconds: Double) {
            let (start, length) = (time, House.length(of: way))
            var walked = 0.0
            for (corner, next) in zip(way, way.dropFirst()) where length > 0 {
                walked += corner.distance(to: next)
                waypoints.append(Waypoint(time: start + seconds * walked / length, position: next))
            }
            self.place = place
        }
    }
}

extension House {
    /// Metres along a path.
    static func length(of way: [Position]) -> Double {
        zip(way, way.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
    }
}
