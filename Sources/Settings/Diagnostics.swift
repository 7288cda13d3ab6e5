import Beacons

/// The diagnostics of one reading of a file: the keys that were read, and the problems that were found.
final class Diagnostics {
    /// One table of the file, or an absent table.
    final class Record {
        let path: String
        let line: Int?
        let members: [String: SettingsNode]
        fileprivate(set) var known: [Known] = []
        fileprivate var refused: Set<String> = []

        init(path: String, line: Int?, members: [String: SettingsNode]) {
            self.path = path
            self.line = line
            self.members = members
        }
    }

    /// A key that was read, and the type it was read as.
    struct Known {
        enum Kind { case value, table, tables }
        var key: String
        var kind: Kind
    }

    let file: String
    private(set) var problems: [SettingsProblem] = []
    /// The files and programs that the file names.
    var files: [NamedFile] = []
    private var seen: Set<SettingsProblem> = []
    private var records: [String: Record] = [:]
    private var order: [Record] = []

    init(file: String, problems: [SettingsProblem]) {
        self.file = file
        for problem in problems { note(problem) }
    }

    /// Records a problem once.
    func note(_ problem: SettingsProblem) {
        if seen.insert(problem).inserted { problems.append(problem) }
    }

    func note(_ text: String, line: Int?) {
        note(SettingsProblem(file: file, line: line, text: text))
    }

    /// The record of the table at `place`, which is its path with array indices. Equal places have the same record.
    func record(of place: String, path: String, line: Int?, members: [String: SettingsNode]) -> Record {
        if let record = records[place] { return record }
        let record = Record(path: path, line: line, members: members)
        records[place] = record
        order.append(record)
        return record
    }

    func ask(_ key: String, as kind: Known.Kind, of record: Record) {
        if !record.known.contains(where: { $0.key == key }) { record.known.append(Known(key: key, kind: kind)) }
    }

    /// Excludes `key` from the unknown keys, because it has its own problem.
    func refuse(_ key: String, of record: Record) {
        record.refused.insert(key)
    }

    /// Every key that was read as a value, with its tables, once.
    var knownKeys: [String] {
        var seen: Set<String> = []
        return order.flatMap { record in
            record.known.filter { $0.kind == .value }.map { joined(record.path, $0.key) }
        }.filter { seen.insert($0).inserted }
    }

    // MARK: Unknown keys

    /// Records a problem for every key of the file that was not read.
    func noteUnknownKeys(_ otherTables: OtherTables) {
        let homes = findHomes()
        for record in order {
            for (key, node) in record.members.sorted(by: { $0.key < $1.key }) {
                guard !record.refused.contains(key), !record.known.contains(where: { $0.key == key }) else { continue }
                if record.path.isEmpty, otherTables == .ignored, !isSlip(key, in: record) { continue }
                note(unknown(key, node, in: record, homes), line: node.line)
            }
        }
    }

    // The first table in which each key is known.
    private func findHomes() -> [String: String] {
        var homes: [String: String] = [:]
        for record in order {
            for known in record.known where known.kind == .value && homes[known.key] == nil {
                homes[known.key] = record.path
            }
        }
        return homes
    }

    private func isSlip(_ key: String, in record: Record) -> Bool {
        record.known.contains { editDistance(Array($0.key.utf8), Array(key.utf8)) <= 1 }
    }

    private func unknown(
        _ key: String, _ node: SettingsNode, in record: Record, _ homes: [String: String]
    ) -> String {
        let path = joined(record.path, keyShown(key))
        let what = "\(path) is not a known \(node.value.isTable ? "table" : "key")"
        if let near = nearest(to: key, among: record.known.map(\.key)),
            let known = record.known.first(where: { $0.key == near })
        {
            return "\(what): did you mean \(shown(known, of: record))?"
        }
        if let home = homes[key] {
            return "\(what): it belongs to \(home.isEmpty ? "the top of the file" : "[\(home)]")"
        }
        let known = record.known.map(\.key).joined(separator: ", ")
        return "\(what): remove it" + (known.isEmpty ? "" : " (known here: \(known))")
    }

    private func shown(_ known: Known, of record: Record) -> String {
        let path = joined(record.path, known.key)
        return switch known.kind {
        case .value: path
        case .table: "[\(path)]"
        case .tables: "[[\(path)]]"
        }
    }
}

/// The dotted path of a key, such as `mqtt.port`; a key at the top of the file has no prefix.
func joined(_ path: String, _ key: String) -> String {
    path.isEmpty ? key : path + "." + key
}
