import Foundation
import Messages

/// One page of the reference, `Documentation/Forgetmenot.docc`, divided into its sections.
struct ReferencePage {
    /// One row of a table of keys.
    struct Row {
        /// The key, dotted: `radio.source`, `log[].boot`.
        var key: String
        /// The name of the type.
        var type: String
        /// The range or unit.
        var range: String
        /// When the key is present.
        var present: String
    }

    /// The content below one heading.
    struct Section {
        /// The heading without its hashes and backticks.
        var heading: String
        /// The rows of its table of keys.
        var rows: [Row] = []
        /// Its code listings in JSON, in order.
        var examples: [String] = []
    }

    /// The sections in order; the title of the page is the heading of the first.
    private(set) var sections: [Section] = []

    /// The root of the repository.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The page with this name in any folder of the catalogue.
    init(named name: String) throws {
        let catalogue = Self.root.appending(path: "Documentation/Forgetmenot.docc")
        let files = FileManager.default.enumerator(atPath: catalogue.path)
        while let path = files?.nextObject() as? String {
            guard path == name + ".md" || path.hasSuffix("/" + name + ".md") else { continue }
            self.init(text: try String(contentsOf: catalogue.appending(path: path), encoding: .utf8))
            return
        }
        throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: name])
    }

    private init(text: String) {
        var listing: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let lines = listing {
                if line.hasPrefix("```") {
                    sections[sections.count - 1].examples.append(lines.map { $0.drop { $0 == " " } }.joined())
                    listing = nil
                } else {
                    listing = lines + [line]
                }
            } else if line == "```json" {
                listing = []
            } else if line.hasPrefix("#") {
                sections.append(Section(heading: String(line.drop { $0 == "#" || $0 == " " }.filter { $0 != "`" })))
            } else if line.hasPrefix("| `"), !sections.isEmpty {
                let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                guard cells.count == 5 else { continue }
                sections[sections.count - 1].rows.append(
                    Row(
                        key: cells[0].replacing("`", with: ""), type: cells[1], range: cells[2], present: cells[3]))
            }
        }
    }
}

extension JSONValue {
    /// The values by their dotted keys. `names` are keys whose members have names that the site chose.
    func keys(below path: String = "", names: [String: String]) -> [(key: String, value: JSONValue)] {
        switch self {
        case .object(let object):
            object.members.flatMap { member in
                let key = names[path] ?? member.key
                let whole = path.isEmpty ? key : "\(path).\(key)"
                return [(whole, member.value)] + member.value.keys(below: whole, names: names)
            }
        case .array(let elements):
            elements.flatMap { $0.keys(below: path + "[]", names: names) }
        default: []
        }
    }

    /// The value with the element at the end of `path` replaced: `radio.source`, or `log[].boot` for the first element.
    func replacing(_ path: ArraySlice<Substring>, by value: JSONValue) -> JSONValue {
        guard let first = path.first else { return value }
        guard case .object(var object) = self else { return self }
        let isArray = first.hasSuffix("[]")
        let key = String(isArray ? first.dropLast(2) : first)
        guard let inner = object[key] else { return self }
        if isArray, case .array(var elements) = inner, let element = elements.first {
            elements[0] = element.replacing(path.dropFirst(), by: value)
            object.set(key, to: .array(elements))
        } else {
            object.set(key, to: inner.replacing(path.dropFirst(), by: value))
        }
        return .object(object)
    }
}
