import Glibc

/// One walk of a recording: what each receiver received, and how far from it the tag was.
struct Track {
    /// One value of one receiver, with the true distance in metres.
    struct Value {
        var milliseconds: Int64
        var receiver: String
        var rssi: Int8
        var metres: Double
    }

    var name: String
    var values: [Value]

    /// The folder of recordings: beside the repository, or where FORGETMENOT_DATA points.
    static var folder: String {
        if let named = getenv("FORGETMENOT_DATA") { return String(cString: named) }
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        return root + "/../shared/data"
    }

    /// Reads the tracks of the big room with twelve receivers; empty where the recording is not there.
    static func tetam() -> [Track] {
        let receivers = Dictionary(
            rows(of: "tetam/tetam_gateways.csv").compactMap { row in place(row, from: 2).map { (row[0], $0) } },
            uniquingKeysWith: { first, _ in first })
        return ["rectangular_with_rotation", "straight_01", "straight_02", "straight_03"].compactMap { name in
            var truth = rows(of: "tetam/tetam_\(name)_truth.csv")[...]
            var values: [Value] = []
            var tag: (Double, Double, Double)?
            for row in rows(of: "tetam/tetam_\(name)_events.csv") {
                guard row.count >= 4, let at = Int64(row[0]), let rssi = Int8(row[3]), let receiver = receivers[row[1]]
                else { continue }
                while let next = truth.first, Int64(next[0]) ?? .max <= at {
                    tag = place(next, from: 3)
                    truth.removeFirst()
                }
                guard let tag else { continue }
                let offset = (tag.0 - receiver.0, tag.1 - receiver.1, tag.2 - receiver.2)
                let metres = (offset.0 * offset.0 + offset.1 * offset.1 + offset.2 * offset.2).squareRoot()
                values.append(Value(milliseconds: at, receiver: row[1], rssi: rssi, metres: metres))
            }
            return values.isEmpty ? nil : Track(name: name, values: values)
        }
    }

    private static func place(_ row: [String], from column: Int) -> (Double, Double, Double)? {
        guard row.count >= column + 3, let x = Double(row[column]), let y = Double(row[column + 1]),
            let z = Double(row[column + 2])
        else { return nil }
        return (x, y, z)
    }

    /// The rows below the heading.
    private static func rows(of path: String) -> [[String]] {
        guard let file = fopen(folder + "/" + path, "r") else { return [] }
        defer { fclose(file) }
        var line: UnsafeMutablePointer<CChar>?
        var size = 0
        defer { free(line) }
        var rows: [[String]] = []
        while getline(&line, &size, file) > 0 {
            let text = String(cString: line!)
            rows.append(text.split(whereSeparator: { $0 == "," || $0.isNewline }).map(String.init))
        }
        return Array(rows.dropFirst())
    }
}
