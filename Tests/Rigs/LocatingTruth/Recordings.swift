import Glibc
import Locating

/// A recorded walk with what was true.
struct Walk {
    var name: String
    var recording: Recording
    var truth: Truth
}

/// A place that was recorded, and its walks.
struct RecordedSite {
    var name: String
    /// Gateways and rooms by name only.
    var names: Site
    /// The same with a plan, where there is one.
    var plan: Site?
    var walks: [Walk]
    /// Walks to learn from besides the others.
    var others: [Walk] = []
}

/// The folder with recordings, beside the repository or where FORGETMENOT_DATA points.
func recordingsFolder() -> String? {
    var folders = ["../shared/data"]
    if let named = getenv("FORGETMENOT_DATA") { folders.insert(String(cString: named), at: 0) }
    return folders.first { access("\($0)/flat/flat_gateways.csv", R_OK) == 0 }
}

/// A file's text; `nil` where it cannot be read.
func text(of path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = Array(repeating: UInt8(0), count: 1 << 16)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
}

/// The recorded places: a flat, a hall, a big room.
func recordedSites(in folder: String) throws -> [RecordedSite] {
    func walk(_ path: String, _ name: String) throws -> Walk {
        Walk(
            name: name, recording: try Recording(csv: text(of: "\(folder)/\(path)_events.csv") ?? ""),
            truth: try Truth(csv: text(of: "\(folder)/\(path)_truth.csv") ?? ""))
    }
    func gateways(_ name: String) -> [Site.Gateway] {
        (text(of: "\(folder)/\(name)/\(name)_gateways.csv") ?? "").split(separator: "\n").dropFirst().map { line in
            let fields = line.split(separator: ",").map(String.init)
            guard fields.count >= 5, let x = Double(fields[2]), let y = Double(fields[3]) else {
                return Site.Gateway(id: fields[0], room: fields[1])
            }
            return Site.Gateway(
                id: fields[0], room: fields[1], position: Polygon.Point(x: x, y: y), height: Double(fields[4]) ?? 2)
        }
    }
    let flat = gateways("flat")
    let cars = try (1...5).map { try walk("sal/sal_car_sensor_1_measurement_\($0)", "car \($0)") }
    return [
        RecordedSite(
            name: "flat", names: Site(gateways: flat), plan: flatPlan(flat),
            walks: try (1...4).map { try walk("flat/flat_calib\($0)", "flat \($0)") }),
        RecordedSite(
            name: "hall", names: Site(gateways: gateways("sal")),
            walks: [try walk("sal/sal_walk_sensor_1_measurement_1", "hall walk")], others: cars),
        RecordedSite(
            name: "big room", names: Site(gateways: gateways("tetam")),
            walks: try ["rectangular_with_rotation", "straight_01", "straight_02", "straight_03"].map {
                try walk("tetam/tetam_\($0)", "big room \($0)")
            }),
        RecordedSite(name: "hall, cars", names: Site(gateways: gateways("sal")), walks: cars),
        RecordedSite(
            name: "cars, labels moved", names: Site(gateways: gateways("sal")), walks: cars.map(withMovedLabels)),
    ]
}

/// A walk of a car that is outside from 5 s after its label's exit until 3 s before its entry. At these moments the gateways on both sides of the door
/// are equally strong, while the label is "inside" only while the whole car is.
private func withMovedLabels(_ walk: Walk) -> Walk {
    var rows: [Truth.Row] = []
    for var row in walk.truth.rows where row.room != rows.last?.room {
        if !rows.isEmpty { row.milliseconds += row.room == "outside" ? 5000 : -3000 }
        rows.append(row)
    }
    return Walk(name: walk.name, recording: walk.recording, truth: Truth(rows: rows))
}

/// The flat as its authors drew it: metres.
private func flatPlan(_ gateways: [Site.Gateway]) -> Site {
    func room(_ name: String, _ corners: [(Double, Double)]) -> Site.Room {
        Site.Room(name: name, polygon: Polygon(corners: corners.map { Polygon.Point(x: $0.0, y: $0.1) }))
    }
    func door(_ from: String, _ to: String, _ x: Double, _ y: Double) -> Site.Door {
        Site.Door(from: from, to: to, at: Polygon.Point(x: x, y: y))
    }
    return Site(
        rooms: [
            room("bedroom", [(0, 2.125), (2.64, 2.125), (2.64, 7.1), (0, 7.1)]),
            room("living", [(2.64, 2.1), (6.32, 2.1), (6.32, 7.1), (2.64, 7.1)]),
            room("right", [(6.32, 4), (9.07, 4), (9.07, 7.1), (6.32, 7.1)]),
            room("small", [(3.965, 0), (6.32, 0), (6.32, 2.1), (3.965, 2.1)]),
            room("hall", [(0, 0), (3.965, 0), (3.965, 2.1), (2.64, 2.1), (2.64, 2.125), (0, 2.125)]),
        ],
        doors: [
            door("hall", "bedroom", 1.1, 2.12), door("hall", "living", 3.3, 2.1), door("living", "right", 6.3, 4.5),
            door("hall", "small", 3.97, 1.58),
        ],
        gateways: gateways)
}
