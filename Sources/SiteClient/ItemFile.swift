import Beacons
import Linux
import Messages
import Text

/// A file of items: one JSON array, as `items export` and `items list --json` write it.
struct ItemFile {
    struct Entry: Hashable {
        var line: Int
        var requested: NewItem
    }

    private(set) var entries: [Entry] = []

    init(at path: String) throws(Failure) {
        let input = path == "-" ? "/dev/stdin" : path
        try self.init(try orFail(.noInput) { try readInput(at: input, limit: JSONLimits.file.bytes) }, path: path)
    }

    /// - Parameter path: the file's name in error messages.
    init(_ bytes: [UInt8], path: String) throws(Failure) {
        let elements: [(value: JSONValue, line: Int)]
        // Editors of some systems write a byte order mark.
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        do throws(JSONFileRefusal) { elements = try JSONValue.elements(parsing: text, limits: .file) } catch {
            throw Failure(
                .configuration,
                "\(path):\(error.line): not a JSON array of items: write one as \"items export\" prints it, "
                    + "or make one of a CSV file as the reference's page Commands shows")
        }
        // If an element is not an item, nothing of the file is added.
        var problems: [String] = []
        for (element, line) in elements {
            do throws(PayloadRefusal) {
                guard let object = element.object else { throw .notAnObject }
                entries.append(Entry(line: line, requested: try NewItem(requestedBy: object)))
            } catch {
                problems.append("\(path):\(line): \(problem(error, in: element))")
            }
        }
        guard problems.isEmpty else {
            problems.append("\(path): nothing is added: correct these lines, and import the file again")
            throw Failure(.configuration, problems.joined(separator: "\n"))
        }
    }

    /// What is to be added of the file.
    func plan(among items: [String: RegistryItem]) -> ImportPlan {
        let named = Dictionary(items.values.map { ($0.name.visible, $0) }, uniquingKeysWith: { first, _ in first })
        return ImportPlan(entries.map(\.requested), items: { items[$0] }, named: { named[$0.visible] })
    }
}

/// What is wrong with an element of the array, and what to write instead.
private func problem(_ refusal: PayloadRefusal, in element: JSONValue) -> String {
    switch refusal {
    case .notAnObject: return "\(shown(element)) is no item: write an object with name, uuid, major and minor"
    case .missing(let key): return "\(key) is missing: write \(expected(key))"
    case .wrongType(let key), .outOfRange(let key), .malformed(let key):
        let value = element.object?[key]
        let notify = value == nil ? element.object?["notify"]?.object?[key] : nil
        return "\(notify == nil ? "" : "notify.")\(key) is \(shown(value ?? notify ?? .null)): write \(expected(key))"
    case .tooMany(let key, _): return "\(key) has too many values: write \(expected(key))"
    case .unknown(let key, let meant):
        return "\(key) is no key of an item: \(meant.map { "did you mean \($0)?" } ?? "leave it out")"
    case .version, .json, .contradiction, .senseless: return errorLine(ofRefusal: "\(refusal)")
    }
}

/// The beginning of the value as JSON.
private func shown(_ value: JSONValue) -> String {
    var json = JSONWriter()
    json.element(value)
    return truncated(String(decoding: json.bytes, as: UTF8.self), to: 60)
}

/// The valid values of an item's key, which may stand in its `notify`; follows the word "write".
private func expected(_ key: String) -> String {
    switch key {
    case "uuid": "32 hexadecimal digits like \"f7826da6-4fa2-4e98-8024-bc5b71e0893e\""
    case "major", "minor": "a whole number from 0 to 65535"
    case "measured_power_dbm": "a whole number from -100 to -10"
    case "after_s": "a whole number from 0 to 31536000"
    case "repeat_s", "until_s": "a whole number from 1 to 31536000"
    case "from", "to", "notify.from", "notify.to": "a time of day like \"07:00\""
    case "sleeps", "left", "returned": "true or false"
    case "notify": "an object"
    case "owners", "not_alone_in": "an array of at most \(Ownership.most) texts"
    case "needed": "\"always\", or days and hours like \"mon-fri 07:00-09:00\""
    default: "a text of 1 to \(Fields.longestText) bytes"
    }
}

extension JSONLimits {
    /// The limits of a file: as many items as a registry holds, each with the longest texts.
    fileprivate static let file = JSONLimits(bytes: 128 << 20, elements: 1 << 19)
}
