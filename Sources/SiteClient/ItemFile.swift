import Linux
import Messages

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
                "\(path):\(error.line): not a JSON array of items: write one as \"items export\" prints it")
        }
        // If an element is not an item, nothing of the file is added.
        var problems: [String] = []
        for (element, line) in elements {
            do throws(PayloadRefusal) {
                guard let object = element.object else { throw .notAnObject }
                entries.append(Entry(line: line, requested: try NewItem(requestedBy: object)))
            } catch {
                problems.append("\(path):\(line): \(error)")
            }
        }
        guard problems.isEmpty else {
            throw Failure(.configuration, problems.joined(separator: "\n") + "\n\(path): nothing was added")
        }
    }

    /// The entries that are no items yet as they stand in the file. An entry without an id is compared with the item of its name.
    func missing(among items: [String: RegistryItem]) -> [Entry] {
        let named = Dictionary(items.values.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        return entries.filter { entry in
            let requested = entry.requested.item
            let item = requested.id.isEmpty ? named[requested.name] : items[requested.id]
            return item?.matches(entry.requested) != true
        }
    }
}

extension JSONLimits {
    /// The limits of a file: as many items as a registry holds, each with the longest texts.
    fileprivate static let file = JSONLimits(bytes: 128 << 20, elements: 1 << 19)
}
