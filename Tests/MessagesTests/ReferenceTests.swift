import Beacons
import Foundation
import Messages
import Testing

/// Compares the reference's pages with the types that write and read the payloads.
@Suite struct ReferenceTests {
    /// Keys whose members have names that the site chose.
    private static let names = ["refused": "{name}", "rooms": "{room}"]
    /// Keys for other programs only: this project's readers use another key.
    private static let unread: Set = ["uptime_s", "beacons[].monitored", "beacons[].address_type"]
    /// Keys that only `forgetmenot-gateway scan --json` writes.
    private static let scanned = (key: "beacons[].per_s", property: "beacons.rate")

    @Test(arguments: Documented.all)
    func `every example of the reference is read and written unchanged`(documented: Documented) throws {
        let section = try documented.section()
        #expect(!section.examples.isEmpty)
        for example in section.examples {
            let bytes = try documented.read(Array(example.utf8)).bytes
            guard documented.isCanonical else { continue }
            #expect(
                String(decoding: bytes, as: UTF8.self) == example,
                "\(documented.type) writes the example of \(documented.path) otherwise: compare the page with init(reading:) and write(to:)"
            )
        }
    }

    @Test(arguments: Documented.all)
    func `exactly the written keys are documented, with their types`(documented: Documented) throws {
        let section = try documented.section()
        let isReferred = Self.referral(in: section)
        var seen: Set<String> = []
        for example in section.examples {
            let value = try JSONValue(parsing: Array(example.utf8))
            let written = try JSONValue(parsing: documented.read(Array(example.utf8)).bytes)
            let keys = value.keys(names: Self.names).filter {
                !isReferred($0.key) && !documented.envelope.contains($0.key)
            }
            for (key, value) in keys {
                seen.insert(key)
                guard let row = section.rows.first(where: { $0.key == key }) else {
                    Issue.record("\(key) is in an example of \(documented.path), but has no row in its table")
                    continue
                }
                #expect(value == .null || Self.word(for: row.type, fits: value), "\(key) is no \(row.type)")
            }
            for (key, _) in written.keys(names: Self.names)
            where !isReferred(key) && !documented.envelope.contains(key) {
                #expect(
                    section.rows.contains { $0.key == key },
                    "\(documented.type) writes \(key): add a row to the table of \(documented.path)")
            }
            for row in section.rows where row.present == "always" && !row.key.contains("[]") {
                let parent = row.key.split(separator: ".").dropLast().joined(separator: ".")
                guard parent.isEmpty || keys.contains(where: { $0.key == parent }) else { continue }
                #expect(keys.contains { $0.key == row.key }, "\(row.key) is always present, but not in \(example)")
            }
        }
        let documentedKeys = section.rows.map(\.key)
        #expect(Set(documentedKeys).count == documentedKeys.count, "a key is documented twice")
        let unseen = Set(documentedKeys).subtracting(seen).subtracting([Self.scanned.key]).sorted()
        #expect(unseen.isEmpty, "no example of \(documented.path) has these keys of its table: add them to one")
    }

    @Test(arguments: Documented.all)
    func `the examples of a payload show every property of its type`(documented: Documented) throws {
        var seen: [String: Bool] = [:]
        for example in try documented.section().examples {
            Self.look(at: try documented.read(Array(example.utf8)).value, "", &seen)
        }
        let missing = seen.filter { !$0.value && $0.key != Self.scanned.property }.keys.sorted()
        #expect(
            missing.isEmpty,
            "no example of \(documented.path) has these properties of \(documented.type): add their keys to one")
    }

    @Test(arguments: Documented.all)
    func `values outside a documented range are refused, and its ends are read`(documented: Documented) throws {
        let section = try documented.section()
        for row in section.rows where !Self.unread.contains(row.key) && row.key != Self.scanned.key {
            // The first example with that key, with another value for the key.
            let path = row.key.split(separator: ".")
            let plain = path.map { $0.hasPrefix("{") ? Substring(Self.example(of: String($0))) : $0 }
            let base = try #require(
                section.examples.map { try JSONValue(parsing: Array($0.utf8)) }
                    .first { $0.keys(names: Self.names).contains { $0.key == row.key } },
                "no example of \(documented.path) has the key \(row.key)")
            func isRead(_ value: JSONValue) -> PayloadRefusal? {
                var json = JSONWriter()
                json.element(base.replacing(plain[...], by: value))
                do { _ = try documented.read(json.bytes) } catch { return error as? PayloadRefusal }
                return nil
            }
            // Only keys that the examples contain within their first element.
            guard base.replacing(plain[...], by: .string("\u{1}")) != base else { continue }
            for value in Self.wrong(for: row, isStrict: documented.isCanonical) {
                #expect(isRead(value) != nil, "\(row.key): \(value) is taken")
            }
            for value in Self.ends(of: row) {
                let refusal = isRead(value)
                // This test changes one key at a time, so it skips keys that depend on each other.
                if case .contradiction = refusal { continue }
                if row.key.hasSuffix("_seq") { continue }
                #expect(refusal == nil, "\(row.key): \(value) is refused")
            }
        }
    }

    @Test func `every payload and every body of the module is documented on a page`() throws {
        var types: Set<String> = []
        let folder = ReferencePage.root.appending(path: "Sources/Messages")
        let files = FileManager.default.enumerator(atPath: folder.path)
        while let path = files?.nextObject() as? String {
            guard path.hasSuffix(".swift") else { continue }
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            for match in text.matches(of: /\n(?:(?:public|package) struct|extension) (\w+)(<[^>]*>)?: (Payload|Body)\b/)
            {
                types.insert(String(match.1))
            }
        }
        // The head of the page documents the envelope of responses and the empty body.
        let documented = Documented.all.map { String($0.type.prefix { $0 != "<" }) }
        #expect(types.subtracting(["Response", "Nothing"]) == Set(documented))
    }

    @Test(arguments: [
        ("GatewayRequests", GatewayRequest.allCases.map(\.rawValue)),
        ("AggregatorRequests", SiteRequest.allCases.map(\.rawValue)),
    ])
    func `exactly the requests of the vocabulary are documented, and their examples tested`(
        page: String, requests: [String]
    ) throws {
        let documented = try ReferencePage(named: page).sections.map(\.heading).filter { !$0.contains(" ") }
        #expect(documented.sorted() == requests.sorted())
        let examples = try ReferencePage(named: page).sections.map(\.heading).filter { $0.contains(": ") }
        #expect(examples.sorted() == Documented.all.filter { $0.page == page }.compactMap(\.heading).sorted())
    }
}

// MARK: What the words of the tables mean

extension ReferenceTests {
    /// Whether a key is below a key that the table documents on another page.
    private static func referral(in section: ReferencePage.Section) -> (String) -> Bool {
        let referring = section.rows.filter { "\($0.type)\($0.range)".contains("<doc:") || $0.key == "events" }.map(
            \.key)
        return { key in referring.contains { key.hasPrefix($0 + ".") || key.hasPrefix($0 + "[].") } }
    }

    /// The name in the examples for a name that the site chose.
    private static func example(of placeholder: String) -> String {
        placeholder == "{room}" ? "Kitchen" : "truncated"
    }

    private static func word(for type: String, fits value: JSONValue) -> Bool {
        switch type {
        case "text", "word", "id", "uuid", "address", "time", "time of day", "run id", "event id": value.string != nil
        case "count", "integer": value.integer != nil
        case "number": value.double != nil
        case "boolean": value.bool != nil
        case "object": value.object != nil
        case "array": value.array != nil
        default: false
        }
    }

    /// Values that the reader must refuse: another type, another form, beyond the range.
    private static func wrong(for row: ReferencePage.Row, isStrict: Bool) -> [JSONValue] {
        // A merge patch is checked together with the item that it changes.
        if row.range.contains("`null`") { return [] }
        let long = JSONValue.string(String(repeating: "x", count: Fields.longestText + 1))
        switch row.type {
        case "text": return [.integer(1), .array([]), long]
        case "id" where isStrict: return [.integer(1), .string("No id"), .string("")]
        case "word", "uuid", "address", "time", "time of day", "run id", "event id":
            return [.integer(1), .string("neither of them")]
        case "count": return [.integer(-1), .integer((1 << 53) + 1), .double(1.5), .string("1")]
        case "boolean": return [.integer(1), .string("true")]
        case "object": return [.integer(1), .array([])]
        case "array": return [.integer(1), .object(JSONObject())]
        case "integer", "number":
            guard let (low, high) = range(of: row) else { return [.string("1"), .integer(-1)] }
            let beyond: [JSONValue] = [.integer(low - 1), .integer(high + 1), .string("1")]
            return row.type == "integer" ? beyond + [.double(Double(low) + 0.5)] : beyond
        default: return []
        }
    }

    /// Values that the reader must accept: the ends of the range, and each of the words.
    private static func ends(of row: ReferencePage.Row) -> [JSONValue] {
        switch row.type {
        case "integer", "number":
            return range(of: row).map { [.integer($0), .integer($1)] } ?? []
        case "word": return row.range.matches(of: /`([a-z_]+)`/).map { .string(String($0.1)) }
        default: return []
        }
    }

    private static func range(of row: ReferencePage.Row) -> (Int64, Int64)? {
        guard let match = row.range.firstMatch(of: /^(-?\d+) to (-?\d+)/), let low = Int64(match.1),
            let high = Int64(match.2)
        else { return nil }
        return (low, high)
    }

    /// Records for every property below `value` whether any example has a value for it.
    private static func look(at value: Any, _ path: String, _ seen: inout [String: Bool]) {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional || mirror.displayStyle == .collection || mirror.displayStyle == .dictionary
        {
            seen[path] = seen[path] == true || !mirror.children.isEmpty
            for child in mirror.children { look(at: child.value, path, &seen) }
            return
        }
        // Skips types that are one value for readers, and events, which have their own pages.
        guard !(value is BeaconUUID || value is WallTime || value is JSONObject || value is LoggedEvent) else { return }
        for child in mirror.children {
            look(at: child.value, path.isEmpty ? child.label ?? "" : "\(path).\(child.label ?? "")", &seen)
        }
    }
}
