@testable import Locating

/// Rooms in a row, a gateway in each, a wall of 12 dB between neighbours, and noise that repeats.
struct Row {
    let rooms: Int
    var noise = 4.0
    private var state: UInt64 = 1

    init(rooms: Int, noise: Double = 4) {
        self.rooms = rooms
        self.noise = noise
    }

    /// The names alone.
    var site: Site { Site(gateways: (0..<rooms).map { Site.Gateway(id: "g\($0)", room: "room \($0)") }) }

    /// The same drawn: rooms of 4 m by 4 m, doors in the middle of their walls.
    var plan: Site {
        func point(_ x: Double, _ y: Double) -> Polygon.Point { Polygon.Point(x: x, y: y) }
        return Site(
            rooms: (0..<rooms).map { index in
                let x = Double(index) * 4
                return Site.Room(
                    name: "room \(index)",
                    polygon: Polygon(corners: [point(x, 0), point(x + 4, 0), point(x + 4, 4), point(x, 4)]))
            },
            doors: (1..<rooms).map {
                Site.Door(from: "room \($0 - 1)", to: "room \($0)", at: point(Double($0) * 4, 2))
            },
            gateways: (0..<rooms).map {
                Site.Gateway(id: "g\($0)", room: "room \($0)", position: point(Double($0) * 4 + 2, 2))
            })
    }

    /// dBm that a gateway receives from an item in a room.
    mutating func rssi(_ gateway: Int, from room: Int) -> Double {
        -50 - 12 * Double(abs(gateway - room)) + noise * gaussian()
    }

    /// A recording of an item that is in one room after another, each for some seconds, two sightings a second and gateway.
    mutating func recording(_ stays: [(room: Int, seconds: Int)], from begin: Int64 = 0) -> Recording {
        var rows: [Recording.Row] = []
        var now = begin
        for stay in stays {
            for _ in 0..<stay.seconds * 2 {
                for gateway in 0..<rooms {
                    let rssi = rssi(gateway, from: stay.room)
                    rows.append(Recording.Row(milliseconds: now, gateway: "g\(gateway)", beacon: "bag", rssi: rssi))
                }
                now += 500
            }
        }
        return Recording(rows: rows)
    }

    /// Where it was in such a recording.
    func truth(_ stays: [(room: Int, seconds: Int)]) -> Truth {
        var now: Int64 = 0
        return Truth(
            rows: stays.map { stay in
                defer { now += Int64(stay.seconds) * 1000 }
                return Truth.Row(milliseconds: now, beacon: "bag", room: "room \(stay.room)")
            })
    }

    private mutating func gaussian() -> Double {
        var sum = 0.0
        for _ in 0..<12 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            sum += Double(state >> 40) / Double(1 << 24)
        }
        return sum - 6
    }
}

/// The rows of a replay.
func replayed(_ model: LocatorModel, _ recording: Recording) -> [Replay.Row] {
    var rows: [Replay.Row] = []
    Replay(model: model).run(recording) { rows.append($0) }
    return rows
}
