import Glibc
import Locating

/// A house of square rooms in two rows with a gateway in each, somewhere in the room, and somebody who carries a tag about.
///
/// Levels fall with distance and at walls; each gateway's field is uneven by 4 dB, the same whenever one stands at the same place;
/// each sighting fades by 4 dB; one in five is lost, and all below -95 dBm.
struct SimulatedHouse {
    private static let edge = 4.0
    private static let speed = 1.0

    let rooms: Int
    private var random: Random
    private var gateways: [(x: Double, y: Double, waves: [Wave])] = []

    private struct Wave {
        var kx, ky, phase: Double
    }

    init(rooms: Int, seed: UInt64) {
        self.rooms = rooms
        random = Random(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
        for room in 0..<rooms {
            let corner = corner(room)
            let waves = (0..<12).map { _ in
                let (angle, k) = (random.uniform() * 2 * .pi, 2 * .pi / (2 + 4 * random.uniform()))
                return Wave(kx: k * cos(angle), ky: k * sin(angle), phase: random.uniform() * 2 * .pi)
            }
            gateways.append(
                (
                    corner.x + 0.3 + random.uniform() * (Self.edge - 0.6),
                    corner.y + 0.3 + random.uniform() * (Self.edge - 0.6), waves
                ))
        }
    }

    /// What the aggregator knows of it: names.
    var site: Site { Site(gateways: (0..<rooms).map { Site.Gateway(id: "g\($0)", room: "room \($0)") }) }

    private func corner(_ room: Int) -> (x: Double, y: Double) {
        (Double(room / 2) * Self.edge, Double(room % 2) * Self.edge)
    }

    private func room(x: Double, y: Double) -> Int {
        min(rooms - 1, max(0, Int(x / Self.edge)) * 2 + (y >= Self.edge ? 1 : 0))
    }

    private mutating func level(_ gateway: Int, x: Double, y: Double) -> Double? {
        let (gx, gy, waves) = gateways[gateway]
        let distance = max(0.5, ((x - gx) * (x - gx) + (y - gy) * (y - gy) + 1).squareRoot())
        let walls = abs(Int(x / Self.edge) - Int(gx / Self.edge)) + abs(Int(y / Self.edge) - Int(gy / Self.edge))
        let uneven =
            waves.reduce(0) { $0 + cos($1.kx * x + $1.ky * y + $1.phase) } * 4 / Double(waves.count / 2).squareRoot()
        let level = -45 - 22 * log10(distance) - 4 * Double(walls) + uneven + 4 * random.gaussian()
        return level < -95 || random.uniform() < 0.2 ? nil : level.rounded()
    }

    /// Somebody stays somewhere for `stay` seconds on average, then walks to a place in any room, through the rooms between.
    mutating func walk(seconds: Int, stay: Double) -> Walk {
        var rows: [Recording.Row] = []
        var truth: [Truth.Row] = []
        var (x, y) = (Self.edge / 2, Self.edge / 2)
        var target = (x: x, y: y)
        var stayUntil = 20.0
        for tick in 0..<seconds * 2 {
            let now = Double(tick) / 2
            let (dx, dy) = (target.x - x, target.y - y)
            let distance = (dx * dx + dy * dy).squareRoot()
            if distance > 0.01 {
                let step = min(1, Self.speed * 0.5 / distance)
                x += dx * step
                y += dy * step
                if step == 1 { stayUntil = now - stay * log(max(random.uniform(), 1e-9)) }
            } else if now >= stayUntil {
                let corner = corner(Int(random.uniform() * Double(rooms)))
                target = (
                    corner.x + 0.3 + random.uniform() * (Self.edge - 0.6),
                    corner.y + 0.3 + random.uniform() * (Self.edge - 0.6)
                )
            }
            let milliseconds = Int64(tick) * 500
            truth.append(Truth.Row(milliseconds: milliseconds, beacon: "tag", room: "room \(room(x: x, y: y))"))
            for gateway in gateways.indices {
                guard let rssi = level(gateway, x: x, y: y) else { continue }
                rows.append(
                    Recording.Row(milliseconds: milliseconds, gateway: "g\(gateway)", beacon: "tag", rssi: rssi))
            }
        }
        return Walk(name: "simulated", recording: Recording(rows: rows), truth: Truth(rows: truth))
    }
}

/// Numbers that repeat.
struct Random {
    var state: UInt64

    mutating func uniform() -> Double {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Double(state >> 11) / Double(1 << 53)
    }

    mutating func gaussian() -> Double {
        (-2 * log(max(uniform(), 1e-12))).squareRoot() * cos(2 * .pi * uniform())
    }
}
